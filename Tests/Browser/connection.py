"""Several pages at once, a lost network, a phone that sleeps, a player that is killed."""

import os
import signal
import time

from box import PLAYLIST
from phone import Phone


OFFLINE, SLEEP = 30, 20  # seconds without a network, and asleep


def test_two_phones(browser, box):
    box.play()
    one, two = Phone(browser, box, box.token).ready(), Phone(browser, box, box.token, width=768).ready()
    one.press("pause")
    two.shows("conditionText", "Paused", 1)
    two.press("pause")
    one.shows("conditionText", "Playing", 1)
    two.page.locator("#volumeAll").fill("400")
    one.shows("volumeAllText", "40 %", 2)
    one.press("following")
    two.shows("track", "drone", 2)
    one.press("extend")
    two.shows("byHand", "+5 min by hand", 5)

    def is_one_place():
        # The pages are asked one after the other, which takes a busy machine long.
        places = [phone.page.evaluate("Plan.place(Store.status, Clock.read()).x") for phone in (one, two)]
        return abs(places[0] - places[1]) < 0.25

    def is_the_players():
        planned = box.status()["planned"]
        return abs(one.page.evaluate("Plan.place(Store.status, Clock.read()).time") - planned) < 0.25
    for _ in range(3):
        box.until(is_one_place)
        box.until(is_the_players)
        time.sleep(0.5)
    one.close()
    two.close()


def test_later_phone(browser, box):
    """A phone that comes later shows what was changed before, and what was left out."""
    box.play()
    first = Phone(browser, box, box.token).ready()
    box.until(lambda: 3 < box.status()["planned"])
    assert box.command(do="gong")["ok"] and box.command(do="extend", by="5m")["ok"]
    assert box.command(do="goto", stage="Practice", at=200)["ok"]
    second = Phone(browser, box, box.token).ready()
    for phone in (first, second):
        phone.shows("byHand", "+5 min by hand")
        phone.wait("document.querySelectorAll('.hand').length === 3")
    places = [phone.page.evaluate("[...document.querySelectorAll('.hand')].map((mark) => mark.getAttribute('d'))")
              for phone in (first, second)]
    assert places[0] == places[1], places
    # The first bell was heard. No voice was, but one that still sounds at the place of the jump is in its middle.
    stages = box.request("/api/timeline")["stages"][:2]
    ends = [overlay["end"] - stage["begin"] for stage in stages for overlay in stage["overlays"]]
    missed = len(stages[0]["overlays"]) + len([end for end in ends[len(stages[0]["overlays"]):] if end < 200])
    for phone in (first, second):
        phone.wait("(count) => document.querySelectorAll('.voice.missed').length === count", arg=missed)
        phone.wait("document.querySelectorAll('.bell.missed').length === 0")
    first.picture("later-360")
    box.command(do="goto", stage="Closing", at=30)
    for phone in (first, second):
        phone.wait("document.querySelectorAll('.bell.missed').length === 2")
    first.close()
    second.close()


def test_offline(browser, box):
    box.play()
    phone = Phone(browser, box, box.token).ready()
    phone.context.set_offline(True)
    phone.shows("conditionText", "Not connected. Trying again.", 5)
    assert phone.page.get_attribute("#following", "aria-disabled") == "true"
    box.command(do="goto", stage="Closing", at=30)
    time.sleep(OFFLINE)
    phone.context.set_offline(False)
    begin = time.time()
    phone.shows("stage", "Closing", 6)
    phone.wait("!document.getElementById('pause').hasAttribute('aria-disabled')")
    print(f"    right again {time.time() - begin:.2f} s after {OFFLINE:.0f} s without a network")
    phone.close(allowed=["ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED"])


def test_sleep(browser, box):
    """The phone sleeps: the page's process is stopped, and continues after the session went somewhere else."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    phone.page.evaluate("window.ticks = 0; setInterval(() => { window.ticks += 1; }, 100); 0")
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    renderers = [process["id"] for process in processes if process["type"] == "renderer"]
    for process in renderers:
        os.kill(process, signal.SIGSTOP)
    box.command(do="goto", stage="Closing", at=30)
    time.sleep(SLEEP)
    begin = time.time()
    for process in renderers:
        os.kill(process, signal.SIGCONT)
    phone.wait("Store.status.stage === 'Closing' && Store.link === 'open'")
    expected = box.status()["planned"]
    phone.wait("(expected) => Math.abs(Clock.read().planned - expected) < 1", arg=expected)
    print(f"    right again {time.time() - begin:.2f} s after a sleep of {SLEEP:.0f} s; ticks in it: {phone.page.evaluate('window.ticks')}")
    phone.close(allowed=["ERR_"])


def test_server_restarted(browser, box):
    box.play()
    phone = Phone(browser, box, box.token).ready()
    box.kill()
    phone.shows("conditionText", "Not connected. Trying again.", 5)
    box.start()
    phone.screen("library", 30)
    box.play(PLAYLIST)
    phone.screen("player", 10)
    phone.shows("title", "Short playlist", 10)
    phone.close(allowed=["ERR_", "404"])


def test_continue(browser, box):
    """The player is killed in the middle of a session, and starts again."""
    box.kill()
    box.forget()
    box.start()
    box.play()
    box.command(do="goto", stage="Practice", at=60)
    box.until(lambda: 301 < box.status().get("planned", 0))
    time.sleep(2)
    box.kill()
    box.start()
    phone = Phone(browser, box, box.token).screen("library", 30)
    phone.page.wait_for_selector(".interrupted")
    text = phone.page.locator(".interrupted", has_text="Loving").text_content()
    assert "Continue at 5:0" in text, text
    phone.axe("continue")
    before = phone.page.evaluate("String(Store.status.id)")
    box.play(PLAYLIST)
    # A question that is asked before the page knows the new session is withdrawn.
    phone.wait(f"Store.isPlaying() && String(Store.status.id) !== '{before}'")
    phone.press("openList")
    phone.page.locator(".interrupted", has_text="Loving").locator(".primary").click()
    phone.shows("questionTitle", "Continue “Loving-kindness, 25 minutes” at 5:0")
    phone.shows("questionYes", "Continue")
    phone.press("questionNo")
    box.end()
    phone.screen("library")
    phone.page.locator(".interrupted", has_text="Loving").locator(".primary").click()
    phone.screen("player")
    box.until(lambda: 300 < box.status().get("planned", 0))
    phone.close()
