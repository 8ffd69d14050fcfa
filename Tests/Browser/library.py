"""The list of sessions."""

from box import MARKUP, PLAYLIST
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


def test_markup(browser, box):
    box.play(MARKUP)
    phone = Phone(browser, box, box.token).ready()
    assert phone.page.evaluate("document.querySelectorAll('main b, main img, main script').length") == 0
    assert "<b>Bold</b>" in phone.text("title")
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360
    phone.picture("markup-360")
    phone.axe("markup")
    phone.close()
