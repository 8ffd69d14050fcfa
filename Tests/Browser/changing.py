"""Changes of the plan and of the volumes: what the player says it would accept."""

import pathlib
import tempfile

from box import LOVING, TWO_STAGES, Box
from phone import Phone


def is_enabled(phone, name):
    return phone.page.get_attribute(f"#{name}", "aria-disabled") is None


def test_shorten(browser, box):
    """Five minutes more and less, and the way back; less is not offered where the stage would end at once."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    assert is_enabled(phone, "extend") and not is_enabled(phone, "shorten")  # the stage has four minutes
    box.command(do="goto", stage="Practice")
    phone.shows("stage", "Practice")
    phone.wait("!ui.shorten.hasAttribute('aria-disabled')")
    length = box.status()["plannedDuration"]
    phone.press("shorten")
    phone.message("“Practice” is 5 minutes shorter.")
    assert abs(box.status()["plannedDuration"] - length + 300) < 1
    phone.shows("byHand", "−5 min by hand")
    phone.press("shorten")
    phone.message("“Practice” is 10 minutes shorter.")
    phone.wait("ui.shorten.getAttribute('aria-disabled') === 'true'")
    phone.page.locator(".message button", has_text="Undo").last.click()
    phone.message("“Practice” has its former length again.")
    assert abs(box.status()["plannedDuration"] - length) < 1
    phone.press("extend")
    phone.message("“Practice” is 5 minutes longer.")
    phone.close()


def test_extend_follows_actions(browser, box):
    """Only the action `extend` decides, not whether the session can be ended."""
    box.play(LOVING)
    phone = Phone(browser, box)

    def without(route):
        answer = route.fetch()
        reply = answer.json()
        reply["status"]["actions"] = [one for one in reply["status"]["actions"] if one != "extend"]
        route.fulfill(json=reply, headers={"Prosper-Access": "control"})

    phone.page.route("**/api/status", without)
    phone.page.goto(f"{box.url}/#{box.token}")
    phone.ready()
    assert not is_enabled(phone, "extend") and not is_enabled(phone, "shorten") and is_enabled(phone, "end")
    phone.close()


def test_voice_volume(browser, box):
    """The player takes a volume of the voices while one plays; until then the slider is disabled."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    phone.wait("ui.volumeVoice.disabled && !ui.volumeMusic.disabled")
    box.command(do="goto", stage="Arrive", at=10)
    phone.wait("!ui.volumeVoice.disabled")
    phone.page.locator("#volumeVoice").fill("350")
    box.until(lambda: abs(box.status()["overlayVolume"] - 0.5) < 0.01)
    box.command(do="goto", stage="Practice", at=0)
    phone.wait("ui.volumeVoice.disabled", 30)  # the voice fades out over 8 s
    phone.shows("volumeVoiceText", "50 %")
    assert phone.page.locator(".message").count() == 0
    phone.close()


def test_reload(browser, box):
    """The session follows its file, if that is asked for; a mistake in it changes nothing, and is told."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "sit.yaml"
        file.write_text(TWO_STAGES, encoding="utf-8")
        own = Box(folders=[folder])
        try:
            own.play(str(file))
            phone = Phone(browser, own, own.token).ready()
            for text, told in ((TWO_STAGES.replace("Two", "Three"), "The session follows its file as it is now."),
                               (TWO_STAGES.replace("tracks", "track"), "sit.yaml:6:5: unknown key 'track'")):
                file.write_text(text, encoding="utf-8")
                phone.press("reload")
                phone.shows("questionTitle", "Reload the session file?")
                phone.axe("reload")
                phone.press("questionYes")
                phone.message(told)
                phone.wait("ui.stageList.textContent.includes('Three')")
            phone.press("end")
            phone.press("questionYes")
            phone.wait("ui.reload.hidden")
            phone.close(allowed=["404"])
        finally:
            own.stop()
