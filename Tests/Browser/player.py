"""The player: every button and key, volumes, what stands beside the stages."""

import time

from box import OPEN, PLAYLIST
from phone import Phone


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
    # Before the first track of a playlist that repeats comes its last one; for a moment, the crossfade is rolled back.
    box.until(lambda: box.status()["track"] == "ocean")
    phone.shows("track", "ocean")
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


def test_messages_beside_sliders(browser, box):
    """A message does not lie on a slider, wherever the page is scrolled."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    phone.press("extend")
    phone.message("5 minutes longer")
    phone.page.evaluate("Messages.show('the sound output is back')")
    for place in ("0", "document.querySelector('.volumes').getBoundingClientRect().bottom + scrollY - innerHeight", "1e6"):
        phone.page.evaluate(f"scrollTo(0, {place})")
        phone.wait("""[...document.querySelectorAll(".volumes input")].every((slider) => {
          const box = slider.getBoundingClientRect(), other = ui.messages.getBoundingClientRect();
          return box.bottom <= other.top || other.bottom <= box.top;
        })""", 2)
        assert phone.page.locator(".message").count() == 2
    phone.picture("messages-360")
    phone.close()


def test_fast_presses(browser, box):
    """Whatever is pressed in whatever order: in the end the page shows what the player does."""
    box.play(PLAYLIST)
    phone = Phone(browser, box, box.token).ready()
    for names in (["following"] * 3, ["pause"] * 5, ["previous", "following", "pause", "following"], ["bell"] * 6, ["forward"] * 4 + ["back"] * 2):
        phone.page.evaluate("(names) => { for (const name of names) document.getElementById(name).click(); }", names)
        begin, seen = time.time(), []
        # It is the end once both agree for a second.
        while not seen or time.time() - begin < 1:
            status = box.status()
            shown = phone.page.evaluate("""() => [document.getElementById("track").textContent, document.querySelectorAll(".expected").length,
              document.getElementById("pause").getAttribute("aria-label"), Clock.read().position, Store.expecting.settling.length]""")
            isPaused = "aused" in status["state"]
            seen.append((shown, status))
            if not (shown[0] == status["track"] and shown[1] == 0 and shown[2] == ("Resume" if isPaused else "Pause")
                    and (isPaused or names[0] != "pause") and abs(shown[3] - status["position"]) < 0.2):
                begin = time.time()
            assert len(seen) < 200, (names, seen[-1])
            time.sleep(0.05)
        print(f"    {'+'.join(names)}: {shown[0]}, {shown[2]}, {phone.page.evaluate('[...document.querySelectorAll(`.message`)].map((m) => m.textContent)')}")
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


def test_open_stage(browser, box):
    box.play(OPEN)
    phone = Phone(browser, box, box.token).ready()
    phone.press("stageNext")
    phone.shows("stage", "Sit")
    phone.shows("remaining", "open")
    phone.wait("document.getElementById('extend').getAttribute('aria-disabled') === 'true'")

    def place_and_time():
        return phone.page.evaluate("[Plan.place(Store.status, Clock.read()).x, performance.now() / 1000]")

    def flows():
        """The place moves by as many seconds as pass on the page, once that knows the player's time."""
        place, begin = place_and_time()
        time.sleep(1)
        later, end = place_and_time()
        return abs(later - place - (end - begin)) < 0.3
    box.until(flows)
    phone.picture("open-360")
    phone.press("stageNext")
    phone.shows("stage", "Close")
    phone.wait("(() => { const p = Plan.place(Store.status, Clock.read()); return p.entry.name === 'Close' && 1 < p.time; })()")
    place = phone.page.evaluate("(() => { const p = Plan.place(Store.status, Clock.read()); return [p.entry.name, p.time]; })()")
    print("    after the open stage:", place, phone.text("remaining"), box.status()["duration"], box.status()["session"])
    assert place[0] == "Close" and 1 < place[1] < 8, place
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


def test_slider_tapped(browser, box):
    """A tap on the slider shows what the player has in the end, not what it has during its fade."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    for share in (0.3, 0.8, 0.5):
        slider = phone.page.locator("#volumeAll")
        slider.scroll_into_view_if_needed()
        place = slider.bounding_box()
        phone.page.mouse.click(place["x"] + place["width"] * share, place["y"] + place["height"] / 2)
        box.until(lambda share=share: abs(box.status()["volumeTarget"] - share) < 0.1)
        box.until(lambda: box.status()["volume"] == box.status()["volumeTarget"])
        # Longer than a slider is taken for held.
        time.sleep(1.6)
        phone.shows("volumeAllText", f"{round(100 * box.status()['volume'])} %")
    phone.close()
