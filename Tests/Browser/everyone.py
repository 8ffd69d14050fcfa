"""Participants, large text, contrast, screen readers, reduced motion."""

import time

from box import LOVING
from phone import Phone


def test_view(browser, box):
    box.play()
    phone = Phone(browser, box, box.view, width=1200, height=800).screen("player")
    phone.wait("document.querySelectorAll('#planPicture > *').length > 3", 30)
    assert phone.page.evaluate("[...document.querySelectorAll('button')].filter(b => b.checkVisibility()).length") == 0
    assert phone.page.get_attribute("#plan", "role") == "img"
    phone.page.locator("#plan").click()
    assert not phone.page.evaluate("document.getElementById('question').open")
    phone.page.keyboard.press("Space")
    time.sleep(0.3)
    assert box.status()["state"] == "playing"
    paths = {path.split("?")[0] for _, path in phone.requests}
    assert paths <= {"/", "/api/status", "/api/timeline", "/api/events", "/favicon.ico"}, paths
    phone.axe("view")
    phone.picture("view-1200-light")
    box.end()
    phone.screen("wait")
    phone.shows("waitTitle", "The session has ended")
    phone.close()


def test_axe_and_pictures(browser, box):
    box.play()
    box.command(do="goto", stage="Practice", at=92)
    box.command(do="extend", by="5m")
    for width, height in ((360, 740), (768, 1024), (1200, 800)):
        for scheme in ("light", "dark"):
            phone = Phone(browser, box, box.token, width, height, scheme, device_scale_factor=2).ready()
            phone.page.wait_for_selector("#openList:not([hidden])", timeout=20000)
            phone.picture(f"player-{width}-{scheme}")
            phone.axe(f"player {width} {scheme}")
            phone.press("end")
            phone.axe(f"question {width} {scheme}")
            if width == 360:
                phone.picture(f"question-{scheme}")
            phone.press("questionNo")
            phone.press("openList")
            phone.screen("library")
            phone.axe(f"library {width} {scheme}")
            phone.picture(f"library-{width}-{scheme}")
            phone.close()
    for scheme in ("light", "dark"):
        phone = Phone(browser, box, "", 360, 740, scheme).screen("pairing")
        phone.axe(f"pairing {scheme}")
        phone.picture(f"pairing-{scheme}")
        phone.close()
        phone = Phone(browser, box, box.view, 360, 740, scheme).screen("player")
        phone.wait("document.querySelectorAll('#planPicture > *').length > 3", 30)
        phone.axe(f"view {scheme}")
        phone.picture(f"view-360-{scheme}")
        phone.close()


SMALL = """() => [...document.querySelectorAll("button, input, [role=slider]")].filter((e) => e.checkVisibility()).map((e) => {
  const box = (e.type === "checkbox" ? e.parentElement : e).getBoundingClientRect();
  return [e.id || e.textContent, box.width, box.height];
}).filter(([, width, height]) => width < 43.9 || height < 43.9)"""


def test_targets_and_large_text(browser, box):
    box.play(LOVING)
    for screen in ("player", "library", "pairing"):
        phone = Phone(browser, box, "" if screen == "pairing" else box.token)
        phone.screen("pairing") if screen == "pairing" else phone.ready()
        if screen == "library":
            phone.page.wait_for_selector("#openList:not([hidden])", timeout=20000)
            phone.press("openList")
        small = phone.page.evaluate(SMALL)
        assert not small, small
        phone.page.evaluate("document.documentElement.style.fontSize = '200%'")
        time.sleep(0.3)
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360
        cut = phone.page.evaluate("""() => [...document.querySelectorAll("button, h1, h2, p, label, output, li span")].filter((e) => e.checkVisibility()
          && e.id !== "title" && (e.scrollWidth > e.clientWidth + 1) && e.clientWidth > 0 && getComputedStyle(e).display !== "inline").map((e) => e.id || e.textContent)""")
        assert not cut, (screen, cut)
        phone.picture(f"large-{screen}")
        phone.close()


def test_reduced_motion(browser, box):
    box.play()
    phone = Phone(browser, box, box.token, reduced_motion="reduce").ready()
    phone.press("bell")
    time.sleep(0.3)
    assert phone.page.evaluate("document.getAnimations().length") == 0
    phone.close()
