"""The list of sessions."""

from box import MARKUP, PLAYLIST, own_box
from phone import Phone


def test_library(browser, box):
    box.end()
    phone = Phone(browser, box, box.token).screen("library", 60)
    phone.page.wait_for_selector(".session", timeout=60000)
    phone.axe("library")
    phone.picture("library-360-light")
    phone.page.locator(".session", has_text="Short playlist").click()
    phone.screen("player")
    phone.shows("title", "Short playlist")
    phone.page.wait_for_selector("#openList:not([hidden])", timeout=20000)
    phone.press("openList")
    phone.screen("library")
    phone.page.wait_for_selector(".session .playing")
    assert phone.page.locator(".session", has=phone.page.locator(".playing")).count() == 1
    assert "Plays now" in phone.page.locator(".session", has_text="Short playlist").text_content()
    phone.axe("library, one plays")
    phone.page.locator(".session", has_text="Loving").click()
    phone.shows("questionTitle", "Start “Loving-kindness, 25 minutes”?")
    phone.shows("questionText", "“Short playlist” ends then.")
    phone.press("questionYes")
    phone.screen("player")
    phone.shows("title", "Loving-kindness")
    phone.close()


def test_month(browser, box):
    """The sits of this month, with one that ends while the list is not shown."""
    box.forget()
    box.play(PLAYLIST)
    phone = Phone(browser, box, box.token).ready()
    assert phone.text("month") == ""
    box.until(lambda: 1 < box.status()["session"])
    box.command(do="stop")
    phone.screen("library")
    phone.shows("month", "This month: 1 sit, ")
    phone.picture("month-360-light")
    phone.axe("month")
    box.play(PLAYLIST)
    phone.ready()
    box.until(lambda: 1 < box.status()["session"])
    box.command(do="stop")
    phone.shows("month", "This month: 2 sits, ")
    phone.close()


SOUND = """prosper: 1
title: A sit with %s
stages:
  - name: Sit
    tracks: [%s]
"""


def test_broken_sessions(browser, box):
    """A session that can't be played says why, and is no button; one that is not downloaded can be tried."""
    sounds = {"lost": ("a lost sound", "lost.wav"), "other": ("an address", "{ url: \"http://127.0.0.1:1/sound.wav\" }")}
    with own_box({name: SOUND % sound for name, sound in sounds.items()}) as own:
        phone = Phone(browser, own, own.token).screen("library")
        lost = phone.page.locator(".session", has_text="A sit with a lost sound")
        assert "can’t be played" in lost.text_content() and "lost.wav" in lost.text_content(), lost.text_content()
        assert "open" not in lost.text_content() and lost.locator("svg").count() == 0
        lost.click()
        assert lost.evaluate("(one) => one.tagName") == "DIV" and not phone.page.evaluate("Store.starting")
        other = phone.page.locator(".session", has_text="A sit with an address")
        assert "length unknown" in other.text_content() and other.evaluate("(one) => one.tagName") == "BUTTON"
        phone.axe("broken sessions")
        phone.picture("broken-360")
        phone.close()


PARAMETERS = """prosper: 1
title: A sit with choices
parameters:
  place: { description: Where we sit }
  minutes: 20m
  bell: { default: bowl, values: [bowl, gong] }
stages:
  - name: "${place}, ${bell}"
    duration: "${minutes}"
    gongs: [{ sound: "generate:${bell}", at: start }]
"""


def test_parameters(browser, box):
    """The values of parameters are asked for, also one that has no default."""
    with own_box({"choices": PARAMETERS}) as own:
        phone = Phone(browser, own, own.token).screen("library")
        phone.page.locator(".session", has_text="choices").click()
        phone.page.wait_for_selector("#settings[open]")
        assert phone.page.locator("#settings label").all_inner_texts()[0].split("\n") == ["place", "Where we sit"]
        phone.axe("parameters")
        phone.picture("parameters-360")
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360
        phone.press("settingsYes")  # The browser says that a value is missing.
        assert phone.page.locator("#settings[open]").count() == 1
        phone.page.fill("#settings [name=place]", "<b>Hall</b>")
        phone.page.fill("#settings [name=minutes]", "soon")
        phone.page.keyboard.press("Enter")
        phone.message("soon")
        phone.page.locator("#messages button", has_text="Change").click()
        assert phone.page.input_value("#settings [name=place]") == "<b>Hall</b>"
        phone.page.fill("#settings [name=minutes]", "7m")
        phone.page.select_option("#settings [name=bell]", "gong")
        phone.press("settingsYes")
        phone.ready()
        assert own.status()["stage"] == "<b>Hall</b>, gong"
        # Another start of the one that plays says what ends.
        phone.press("openList")
        phone.page.locator(".session", has_text="choices").click()
        phone.shows("settingsText", "“A sit with choices” ends then.")
        phone.press("settingsNo")
        phone.close(allowed=["409"])


def test_markup(browser, box):
    box.play(MARKUP)
    phone = Phone(browser, box, box.token).ready()
    assert phone.page.evaluate("document.querySelectorAll('main b, main img, main script').length") == 0
    assert "<b>Bold</b>" in phone.text("title")
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360
    phone.picture("markup-360")
    phone.axe("markup")
    phone.close()


SPOKEN = """prosper: 1
title: A guided sit
stages:
  - name: Sit
    duration: 10m
    overlays: [{ at: 1s, sound: { say: "Breathe in. [pause 2s] Breathe <b>out</b>. [pause 8m] Open your eyes." } }]
"""


def test_captions(browser, box):
    """Each sentence is shown when it begins, also to those who come later; a sentence of the past is said, not played."""
    with own_box({"guided": SPOKEN}) as own:
        own.play("guided")
        phone = Phone(browser, own, own.token).ready()
        # The title of the sound has its first words, so the whole text is compared.
        is_said = "t => document.getElementById('captionText').textContent === t"
        phone.wait(is_said, 10, "Breathe <b>out</b>.")
        assert phone.text("captionWhen").startswith("Said at 0:0"), phone.text("captionWhen")
        phone.axe("captions")
        late = Phone(browser, own, own.token).ready()
        late.wait(is_said, 10, "Breathe <b>out</b>.")
        assert late.text("captionWhen") == phone.text("captionWhen")
        late.close()
        phone.close()
