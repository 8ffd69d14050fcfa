#!/usr/bin/env python3
"""Tests of the page in a real browser, with a real player.

    python3 -m pip install playwright axe-playwright-python
    Tests/Browser/page_tests.py [NAME...]

They need the Debian package chromium and a debug build of prosper. PROSPER is another program, PROSPER_PICTURES a folder
for pictures of the page.
"""

import http.server
import json
import os
import signal
import struct
import sys
import threading
import time
import traceback

from playwright.sync_api import sync_playwright

from box import LOVING, MARKUP, OPEN, PLAYLIST, Box
from phone import Phone

OFFLINE, SLEEP = 30, 20  # seconds without a network, and asleep


# Pairing and access

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


# The player

def test_every_button(browser, box):
    box.play()
    phone = Phone(browser, box, box.token).ready()
    phone.press("pause")
    box.until(lambda: box.status()["state"] == "paused")
    phone.shows("conditionText", "Paused")
    phone.press("pause")
    box.until(lambda: box.status()["state"] == "playing")
    phone.press("forward")
    box.until(lambda: 15 < box.status()["position"])
    phone.press("back")
    box.until(lambda: box.status()["position"] < 15)
    phone.press("bell")
    phone.wait("document.querySelector('#bell.glow')")
    phone.press("following")
    box.until(lambda: box.status()["track"] == "drone")
    phone.shows("track", "drone")
    assert not phone.page.evaluate("document.getElementById('track').classList.contains('expected')")
    phone.press("previous")
    box.until(lambda: box.status()["track"] != "drone")
    phone.shows("track", box.status()["track"])
    box.command(do="goto", stage="Arrive")
    phone.shows("stage", "Arrive")
    phone.wait("Clock.read().planned < 60")
    phone.press("stageNext")
    box.until(lambda: box.status()["stage"] == "Practice")
    phone.message("Moved to “Practice”.")
    phone.page.locator(".message button", has_text="Undo").last.click()
    box.until(lambda: box.status()["stage"] == "Arrive")
    phone.press("stageNext")
    box.until(lambda: box.status()["stage"] == "Practice")
    phone.press("stageBack")
    box.until(lambda: box.status()["stage"] == "Arrive")
    length = box.status()["plannedDuration"]
    phone.press("extend")
    box.until(lambda: abs(box.status()["plannedDuration"] - length - 300) < 1)
    phone.shows("byHand", "+5 min by hand")
    phone.message("5 minutes longer")
    phone.page.locator(".message button", has_text="Undo").last.click()
    box.until(lambda: abs(box.status()["plannedDuration"] - length) < 1)
    phone.shows("messages", "former length")
    assert phone.page.evaluate("document.querySelectorAll('.hand').length") >= 5
    plan = phone.page.locator("#plan").bounding_box()
    phone.page.mouse.click(plan["x"] + plan["width"] * 0.5, plan["y"] + 40)
    phone.shows("questionTitle", "Go to Practice, 12:")
    phone.press("questionNo")
    assert box.status()["stage"] == "Arrive"
    phone.page.mouse.click(plan["x"] + plan["width"] * 0.5, plan["y"] + 40)
    phone.press("questionYes")
    box.until(lambda: box.status()["stage"] == "Practice" and 700 < box.status()["planned"])
    phone.shows("elapsed", "12:")
    phone.page.locator("#stageList button").nth(2).click()
    phone.shows("questionTitle", "Go to the beginning of Closing?")
    phone.press("questionYes")
    box.until(lambda: box.status()["stage"] == "Closing")
    phone.press("end")
    phone.shows("questionText", "Fades out over 3 s and ends the session.")
    phone.press("questionNo")
    phone.press("end")
    phone.press("questionYes")
    phone.shows("conditionText", "Fading out")
    phone.shows("end", "End now")
    phone.press("end")
    phone.shows("questionText", "Ends the session at once.")
    phone.press("questionYes")
    phone.screen("library")
    phone.shows("libraryTitle", "The session has ended")
    phone.close()


def test_keys(browser, box):
    box.play()
    phone = Phone(browser, box, box.token, width=1200).ready()
    keyboard = phone.page.keyboard
    keyboard.press("Space")
    box.until(lambda: box.status()["state"] == "paused")
    keyboard.press("Space")
    box.until(lambda: box.status()["state"] == "playing")
    keyboard.press("n")
    box.until(lambda: box.status()["track"] == "drone")
    phone.wait("!document.getElementById('previous').hasAttribute('aria-disabled')")
    keyboard.press("p")
    box.until(lambda: box.status()["track"] != "drone")
    box.command(do="goto", stage="Arrive")
    phone.shows("stage", "Arrive")
    phone.wait("!document.getElementById('stageNext').hasAttribute('aria-disabled')")
    keyboard.press("s")
    box.until(lambda: box.status()["stage"] == "Practice")
    phone.wait("!ui.stageBack.hasAttribute('aria-disabled')")
    keyboard.press("Shift+S")
    box.until(lambda: box.status()["stage"] == "Arrive")
    keyboard.press("ArrowRight")
    box.until(lambda: 15 < box.status()["position"])
    keyboard.press("-")
    box.until(lambda: abs(box.status()["volume"] - 0.75) < 0.01)
    phone.wait("Clock.read().planned < 100")
    phone.page.focus("#plan")
    for _ in range(4):
        keyboard.press("ArrowRight")
    assert " of " in phone.page.get_attribute("#plan", "aria-valuetext")
    keyboard.press("PageUp")
    keyboard.press("Enter")
    phone.shows("questionTitle", "Go to the beginning of Practice?")
    keyboard.press("Escape")
    keyboard.press("?")
    phone.page.wait_for_selector("#keys[open]")
    phone.axe("keys")
    phone.page.uncheck("#keysOn")
    keyboard.press("Escape")
    before = box.status()["state"]
    phone.page.evaluate("document.activeElement.blur()")
    keyboard.press("Space")
    time.sleep(0.4)
    assert box.status()["state"] == before
    phone.close()


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
    for _ in range(3):
        times = [phone.page.evaluate("Plan.place(Store.status, Clock.read()).x") for phone in (one, two)]
        assert abs(times[0] - times[1]) < 0.25, times
        time.sleep(0.5)
    status = box.status()
    place = one.page.evaluate("Plan.place(Store.status, Clock.read()).time")
    print(f"    two pages differ by {abs(times[0] - times[1]):.3f} s, the page from the player by {abs(place - status['planned']):.3f} s")
    assert abs(place - status["planned"]) < 0.25
    one.close()
    two.close()


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


def test_needle(browser, box):
    """It moves smoothly between the events, and stands in a pause."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    sample = """(seconds) => new Promise((done) => {
      const places = [], begin = performance.now();
      const take = (now) => {
        places.push(Plan.place().x);
        if (now - begin < 1000 * seconds) requestAnimationFrame(take); else done(places);
      };
      requestAnimationFrame(take);
    })"""
    places = phone.page.evaluate(sample, 6)
    steps = [after - before for before, after in zip(places, places[1:])]
    print(f"    {len(places)} frames; steps from {1000 * min(steps):.1f} to {1000 * max(steps):.1f} ms of the session; {places[-1] - places[0]:.3f} s in 6 s")
    assert -0.02 < min(steps) and max(steps) < 0.12 and abs(places[-1] - places[0] - 6) < 0.1
    phone.press("pause")
    phone.shows("conditionText", "Paused")
    box.until(lambda: box.status()["state"] == "paused")
    time.sleep(0.4)
    places = phone.page.evaluate(sample, 1)
    assert max(places) - min(places) < 0.001
    assert abs(places[0] - box.status()["planned"]) < 0.02
    phone.close()


def test_work(browser, box):
    """What the page costs while a session plays, and while it crossfades."""
    box.play()
    box.command(do="goto", stage="Practice", at=20)
    phone = Phone(browser, box, box.token).ready()
    session = phone.context.new_cdp_session(phone.page)
    session.send("Performance.enable")
    read = lambda: {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    for what in ("crossfading", "playing"):
        before = read()
        time.sleep(5)
        after = read()
        share = (after["TaskDuration"] - before["TaskDuration"]) / 5
        print(f"    {what}: {100 * share:.1f} % of a core, heap {after['JSHeapUsedSize'] / 1e6:.1f} MB")
        assert share < 0.15
        time.sleep(3)
    phone.close()


MEASURE = """
(id) => new Promise((done) => {
  let changed = 0;
  const observer = new MutationObserver(() => { changed = changed || performance.now(); });
  observer.observe(document.body, { attributes: true, childList: true, characterData: true, subtree: true });
  document.getElementById(id).addEventListener("click", (event) => {
    changed = 0;
    // A message that is sent in the frame arrives after it was painted.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done({ changed: changed ? changed - event.timeStamp : -1, milliseconds: performance.now() - event.timeStamp });
      port2.postMessage(0);
    });
  }, { once: true, capture: true });
})
"""


def test_tap_to_visible(browser, box):
    box.play()
    phone = Phone(browser, box, box.token).ready()
    all_times = {}
    for name in ("pause", "pause", "following", "previous", "forward", "back", "following", "stageNext"):
        phone.wait("n => !document.getElementById(n).hasAttribute('aria-disabled')", arg=name)
        promise = phone.page.evaluate_handle(f"window.measured = ({MEASURE})({json.dumps(name)}); 0")
        phone.press(name)
        result = phone.page.evaluate("window.measured")
        assert 0 < result["changed"] <= result["milliseconds"], (name, result)
        all_times.setdefault(name, []).append(result["milliseconds"])
        time.sleep(0.5)
    worst = max(max(times) for times in all_times.values())
    print("    tap to visible: " + ", ".join(f"{n} {max(t):.0f} ms" for n, t in all_times.items()))
    assert worst <= 50, all_times
    phone.close()


def test_notes_and_captions(browser, box):
    """A later plan has notes of stages and captions of overlays."""
    box.play()
    phone = Phone(browser, box)

    def later(route):
        plan = route.fetch().json()
        for stage in plan["stages"]:
            stage["note"] = f"Note of {stage['name']}: let the breath come <i>and</i> go."
            for overlay in stage["overlays"]:
                overlay["caption"] = "May all beings be at peace, now and in the days to come."
        route.fulfill(json=plan)

    phone.page.route("**/api/timeline", later)
    phone.page.goto(f"{box.url}/#{box.token}")
    phone.ready()
    phone.shows("captionNote", "Note of Arrive: let the breath come <i>and</i> go.")
    box.command(do="goto", stage="Practice", at=200)
    phone.shows("captionNote", "Note of Practice")
    phone.shows("captionText", "May all beings be at peace")
    phone.shows("captionWhen", "Said at 6:45")
    assert "Note of Closing" in phone.text("stageList")
    phone.axe("notes")
    phone.picture("notes-360")
    phone.close()


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
    phone.page.locator(".interrupted", has_text="Loving").locator(".primary").click()
    phone.screen("player")
    box.until(lambda: 300 < box.status().get("planned", 0))
    phone.close()


REFUSED = {"ok": False, "outcome": "rejected", "error": "drone: can't be fetched: the server does not answer",
           "code": "fileLoadFailed", "recoverable": True}

WATCH_TRACK = """() => {
  const real = window.fetch;
  window.fetch = async (...a) => {
    const answer = await real(...a);
    if (a[0] === "/api/command") window.answered = performance.now();
    return answer;
  };
  new MutationObserver(() => {
    const track = document.getElementById("track");
    if (track.classList.contains("expected")) window.shown = performance.now();
    else if (window.answered && !window.takenBack) window.takenBack = performance.now();
  }).observe(document.getElementById("track"), {attributes: true, childList: true, characterData: true, subtree: true});
  document.getElementById("following").addEventListener("click", (e) => { window.tapped = e.timeStamp; }, true);
}"""


def test_next_refused(browser, box):
    """The track that `next` would lead to is shown at once, and taken back when the player refuses it."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    phone.answer("next", REFUSED)
    phone.page.evaluate(WATCH_TRACK)
    phone.press("following")
    assert phone.text("track") == "drone"
    phone.message("Drone: can't be fetched: the server does not answer.")
    times = phone.page.evaluate("[window.shown - window.tapped, window.takenBack - window.answered]")
    print(f"    the track {times[0]:.1f} ms after the tap; taken back {times[1]:.1f} ms after the outcome")
    assert times[0] < 50 and 0 <= times[1] < 100 and phone.text("track") == "rain"
    assert phone.page.locator(".message").count() == 1
    phone.page.locator(".message button", has_text="Retry").click()
    box.until(lambda: box.status()["track"] == "drone")
    phone.close()


def test_fast_presses(browser, box):
    """Whatever is pressed in whatever order: in the end the page shows what the player does."""
    box.play(PLAYLIST)
    phone = Phone(browser, box, box.token).ready()
    for names in (["following"] * 3, ["pause"] * 5, ["previous", "following", "pause", "following"], ["bell"] * 6, ["forward"] * 4 + ["back"] * 2):
        phone.page.evaluate("(names) => { for (const name of names) document.getElementById(name).click(); }", names)
        time.sleep(1.5)
        status = box.status()
        shown = phone.page.evaluate("""() => [document.getElementById("track").textContent, document.querySelectorAll(".expected").length,
          document.getElementById("pause").getAttribute("aria-label"), Clock.read().position, Store.expecting.settling.length]""")
        isPaused = "aused" in status["state"]
        assert shown[0] == status["track"] and shown[1] == 0, (names, shown, status)
        assert shown[2] == ("Resume" if isPaused else "Pause"), (names, shown, status["state"])
        assert isPaused or names[0] != "pause", status["state"]
        assert abs(shown[3] - status["position"]) < 0.2, (names, shown, status["position"])
        print(f"    {'+'.join(names)}: {shown[0]}, {shown[2]}, {phone.page.evaluate('[...document.querySelectorAll(`.message`)].map((m) => m.textContent)')}")
    phone.close()


def test_single(browser, box):
    """`play --web` has no list."""
    box.play()
    phone = Phone(browser, box)
    phone.page.route("**/api/sessions", lambda route: route.fulfill(json={"sessions": []}))
    phone.page.goto(f"{box.url}/#{box.token}")
    phone.ready()
    assert not phone.page.locator("#openList").is_visible()
    box.end()
    phone.screen("wait")
    phone.shows("waitTitle", "The session has ended")
    phone.axe("ended")
    phone.close()


class SlowServer(http.server.BaseHTTPRequestHandler):
    """WAV files that the player knows, and whose data then come late or never."""

    seconds, is_dead = 0, False

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        try:
            if "dead" in self.path and SlowServer.is_dead:
                return self.send_error(503)
            size = 44100 * 60
            head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, 1, 1, 22050, 44100, 2, 16, b"data", size)
            self.send_response(200)
            self.send_header("Content-Length", str(len(head) + size))
            self.end_headers()
            if self.command == "HEAD":
                return
            self.wfile.write(head + bytes(20000))
            end = time.time() + SlowServer.seconds
            while time.time() < end:
                time.sleep(0.1)
            self.wfile.write(bytes(size - 20000))
        except OSError:
            pass


def test_slow_load(browser, box):
    """Loads of the real player: a track from a slow server, which another client appends, and one from a dead server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    replies = []

    def append(name):
        replies.append(box.ctl({"do": "playlist", "op": "append", "tracks": [f"{address}/{name}{time.time()}.wav"]}))

    try:
        SlowServer.seconds, SlowServer.is_dead = 20, True
        box.play()
        phone = Phone(browser, box, box.token).ready()
        thread = threading.Thread(target=append, args=["slow"])
        thread.start()
        phone.shows("musicLoad", "opening “slow")
        phone.picture("slow")
        phone.message("is still being opened", 5)
        phone.press("pause")
        box.until(lambda: box.status()["state"] == "paused", 1)
        phone.press("pause")
        phone.page.locator(".message button", has_text="Cancel").click()
        thread.join(5)
        assert replies[0]["outcome"] == "cancelled", replies
        phone.wait("document.getElementById('musicLoad').textContent === ''")
        phone.wait("![...document.querySelectorAll('.message')].some((m) => m.textContent.includes('still being opened'))")
        append("dead")
        phone.message("503")
        print("    ", phone.page.evaluate("[...document.querySelectorAll('.message')].map(p => p.textContent)"), replies[1])
        phone.close()
    finally:
        server.shutdown()
        server.server_close()


def test_sliders(browser, box):
    box.play()
    phone = Phone(browser, box, box.token).ready()
    phone.page.evaluate("""() => {
      window.flying = 0; window.most = 0; window.sent = [];
      const real = window.fetch;
      window.fetch = async (...a) => {
        if (a[0] !== "/api/command") return real(...a);
        window.sent.push(a[1].body); window.most = Math.max(window.most, ++window.flying);
        try { await new Promise((r) => setTimeout(r, 80)); return await real(...a); } finally { window.flying--; }
      };
    }""")
    phone.page.locator("#volumeMusic").scroll_into_view_if_needed()
    slider = phone.page.locator("#volumeMusic").bounding_box()
    y = slider["y"] + slider["height"] / 2
    phone.page.mouse.move(slider["x"] + slider["width"] * 0.7, y)
    phone.page.mouse.down()
    for step in range(50):
        phone.page.mouse.move(slider["x"] + slider["width"] * (0.7 - step * 0.01), y)
    phone.page.mouse.up()
    phone.wait("window.flying === 0")
    time.sleep(0.6)
    result = phone.page.evaluate("({most, count: sent.length, last: JSON.parse(sent[sent.length - 1]), shown: document.getElementById('volumeMusicText').textContent})")
    print(f"    50 moves: {result['count']} requests, at most {result['most']} at once, the last {result['last']}")
    assert result["most"] == 1 and result["count"] < 30 and result["last"]["do"] == "music"
    assert f"{round(result['last']['to'] * 100)} %" == result["shown"]
    box.command(do="volume", to=0.25)
    phone.shows("volumeAllText", "25 %", 2)
    phone.page.locator("#volumeMusic").fill("1000")
    phone.shows("volumeMusicText", "+12 dB")
    phone.close()


# The list

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


def test_markup(browser, box):
    box.play(MARKUP)
    phone = Phone(browser, box, box.token).ready()
    assert phone.page.evaluate("document.querySelectorAll('main b, main img, main script').length") == 0
    assert "<b>Bold</b>" in phone.text("title")
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360
    phone.picture("markup-360")
    phone.axe("markup")
    phone.close()


def test_open_stage(browser, box):
    box.play(OPEN)
    phone = Phone(browser, box, box.token).ready()
    phone.press("stageNext")
    phone.shows("stage", "Sit")
    phone.shows("remaining", "open")
    phone.wait("document.getElementById('extend').getAttribute('aria-disabled') === 'true'")
    first = phone.page.evaluate("Plan.place(Store.status, Clock.read()).x")
    time.sleep(1)
    assert 0.7 < phone.page.evaluate("Plan.place(Store.status, Clock.read()).x") - first < 1.5
    phone.picture("open-360")
    phone.press("stageNext")
    phone.shows("stage", "Close")
    time.sleep(2)
    place = phone.page.evaluate("(() => { const p = Plan.place(Store.status, Clock.read()); return [p.entry.name, p.time]; })()")
    print("    after the open stage:", place, phone.text("remaining"), box.status()["duration"], box.status()["session"])
    assert place[0] == "Close" and 1 < place[1] < 8, place
    phone.close()


# For everyone

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


def main():
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_")}
    wanted = sys.argv[1:] or list(tests)
    box, failed = Box(), []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name in wanted:
            begin = time.time()
            Phone.open = []
            try:
                tests[name](browser, box)
                print(f"ok   {name} ({time.time() - begin:.1f} s)", flush=True)
            except Exception as error:  # pylint: disable=broad-except
                failed.append(name)
                lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == __file__]
                print(f"FAIL {name}, lines {lines}: {str(error)[:1500]}", flush=True)
                for phone in Phone.open:
                    print("    ", phone.faults[:3])
                for context in browser.contexts:
                    context.close()
        browser.close()
    box.stop()
    print(f"{len(wanted) - len(failed)} of {len(wanted)} passed" + (f"; failed: {' '.join(failed)}" if failed else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
