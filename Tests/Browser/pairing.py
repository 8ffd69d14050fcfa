"""Pairing: the code, the link of the QR code, old links."""

import time

from phone import Phone


def test_pairing(browser, box):
    phone = Phone(browser, box).screen("pairing")
    assert phone.page.evaluate("document.activeElement.id") == "code"
    phone.page.fill("#code", "999999")
    phone.shows("pairingError", "This code is wrong")
    phone.axe("pairing, wrong code")
    # Sent again, the same code is not another attempt.
    for _ in range(5):
        phone.press("pairingSend")
    phone.shows("pairingError", "This code is wrong")
    phone.page.fill("#code", box.code)
    # It is kept once the player has accepted it, which is after the screen has changed.
    phone.wait("localStorage.getItem('prosper.token')")
    phone.wait("['library', 'player'].includes(document.body.dataset.screen)")
    phone.close(allowed=["403"])


def test_fragment(browser, box):
    phone = Phone(browser, box, box.token)
    phone.wait("document.body.dataset.screen !== 'pairing'")
    assert "#" not in phone.page.url and box.token not in phone.page.url
    phone.page.reload()
    phone.wait("['library', 'player'].includes(document.body.dataset.screen)")
    phone.close()


def test_old_token(browser, box):
    phone = Phone(browser, box, "an-old-token").screen("pairing")
    phone.shows("pairingText", "does not know this phone any more")
    assert phone.page.evaluate("localStorage.getItem('prosper.token')") is None
    phone.close(allowed=["401"])


def follow(phone, fragment=""):
    """Opens a link in another tab of the same browser."""
    tab = phone.context.new_page()
    tab.goto(f"{phone.box.url}/#{fragment}")
    tab.wait_for_selector("body:is([data-screen=library], [data-screen=player])")
    return tab


TOKEN = "localStorage.getItem('prosper.token')"


def test_unknown_fragment(browser, box):
    """A fragment that is no link of the player changes nothing on a paired phone."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    phone.page.goto(f"{box.url}/#section")
    phone.ready()
    assert phone.page.evaluate(TOKEN) == box.token
    tab = follow(phone, "an-old-token")
    assert tab.evaluate(TOKEN) == box.token and tab.evaluate("Store.access") == "control"
    phone.close(allowed=["401"])


def test_view_on_a_phone_that_controls(browser, box):
    """The leader opens the participants' link: that tab shows it, also when it is loaded again, and no other tab."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    tab = follow(phone, box.view)
    for _ in range(2):
        assert tab.evaluate("Store.access") == "view" and tab.evaluate(TOKEN) == box.token
        tab.reload()
        tab.wait_for_selector("body[data-screen=player]")
    assert follow(phone).evaluate("Store.access") == "control"
    phone.page.reload()
    phone.ready()
    assert phone.page.evaluate("Store.access") == "control"
    tab.goto(f"{box.url}/#{box.token}")
    tab.wait_for_selector("body:not(.viewer)[data-screen=player]")
    assert not [url for _, url in phone.requests if "token" in url]
    phone.close()


def test_view_is_kept(browser, box):
    """A participant's phone is one also tomorrow."""
    box.play()
    phone = Phone(browser, box, box.view).screen("player")
    assert follow(phone).evaluate("Store.access") == "view"
    phone.close()


def test_pairing_locked(browser, box):
    phone = Phone(browser, box).screen("pairing")
    for number in range(1, 6):
        phone.page.fill("#code", f"{(int(box.code) + number) % 1_000_000:06}")
        phone.wait("document.getElementById('pairingError').textContent !== ''")
        time.sleep(0.2)
    phone.page.fill("#code", box.code)
    phone.shows("pairingError", "Too many wrong codes. Try again in")
    assert phone.page.get_attribute("#pairingSend", "aria-disabled") == "true"
    phone.close(allowed=["403", "429"])
    box.kill()
    box.start()
