"""Sounds that come late or never."""

import contextlib
import http.server
import struct
import threading
import time

from phone import Phone


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


@contextlib.contextmanager
def slow_server(seconds):
    """The address of a server whose data come so late."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    SlowServer.seconds, SlowServer.is_dead = seconds, True
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_slow_load(browser, box):
    """Loads of the real player: a track from a slow server, which another client appends, and one from a dead server."""
    replies = []

    def append(name):
        replies.append(box.ctl({"do": "playlist", "op": "append", "tracks": [f"{address}/{name}{time.time()}.wav"]}))

    with slow_server(20) as address:
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


# Where a load of music, of a voice and of a bell shows.
PLACES = "[ui.musicLoad, ui.captionWhen].map((one) => one.textContent).concat(ui.bell.classList.contains('loading'))"


def test_slow_voices(browser, box):
    """A load shows on what loads: a voice or a bell that a command brings, which no plan has."""
    with slow_server(20) as address:
        box.play()
        phone = Phone(browser, box, box.token).ready()
        for command in ({"do": "overlay", "op": "play"}, {"do": "gong"}):
            sound = f"{address}/slow{time.time()}.wav"
            thread = threading.Thread(target=box.ctl, args=[{**command, "sound": sound}])
            thread.start()
            phone.message("is still being opened", 5)
            music, caption, bell = phone.page.evaluate(PLACES)
            is_voice = command["do"] == "overlay"
            assert music == "" and ("Opening" in caption) == is_voice and bell != is_voice, (music, caption, bell)
            phone.page.locator(".message button", has_text="Cancel").click()
            thread.join(5)
            phone.wait(f"{PLACES}[2] === false && !ui.captionWhen.textContent.includes('Opening')")
        phone.close()


def test_loads_of_the_plan(browser, box):
    """Which sound is a voice, a bell or music, the plan says."""
    box.play()
    phone = Phone(browser, box, box.token).ready()
    phone.wait("Plan.layers('bowl').length")
    for place, title in enumerate(("ocean", "Closing words", "bowl")):
        phone.page.evaluate("(title) => Events.take({event: 'load.started', id: 'load-x', title})", title)
        time.sleep(0.5)
        music, caption, bell = phone.page.evaluate(PLACES)
        shown = ["opening" in music, "Opening" in caption, bell]
        assert shown == [place == index for index in range(3)], (title, music, caption, bell)
        phone.page.evaluate("(title) => Events.take({event: 'load.completed', id: 'load-x', title})", title)
    phone.close()
