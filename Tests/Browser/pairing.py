"""Pairing: the code, the link of the QR code, old links."""

import time

from phone import Phone


def test_pairing(browser, box):
    phone = Phone(browser, box).screen("pairing")
    assert phone.page.evaluate("document.activeElement.id") == "code"
    phone.page.fill("#code", "999999")
    phone.shows("pairingError", "This code is wrong")
    phone.axe("pairing, wrong code")
    phone.page.fill("#code", box.code)
    phone.wait("document.body.dataset.screen !== 'pairing'")
    assert phone.page.evaluate("localStorage.getItem('prosper.token')")
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


def test_pairing_locked(browser, box):
    phone = Phone(browser, box).screen("pairing")
    for _ in range(5):
        phone.page.fill("#code", "999999" if box.code != "999999" else "999998")
        phone.wait("document.getElementById('pairingError').textContent !== ''")
        time.sleep(0.2)
    phone.page.fill("#code", box.code)
    phone.shows("pairingError", "Too many wrong codes. Try again in")
    assert phone.page.get_attribute("#pairingSend", "aria-disabled") == "true"
    phone.close(allowed=["403", "429"])
    box.kill()
    box.start()
