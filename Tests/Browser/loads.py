"""Sounds that come late or never."""

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
