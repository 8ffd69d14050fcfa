"""From the tap to the sound: what the page adds to a command of `ctl`, recorded at the sound server."""

import array
import json
import os
import select
import socket
import statistics
import subprocess
import threading
import time

from box import STEADY
from phone import Phone

RATE = 48000
BLOCK = 0.002  # seconds; the resolution of the measurement

TAPS = """() => {
  window.taps = [];
  document.getElementById("pause").addEventListener("click", (event) => {
    window.taps.push(Date.now() - (performance.now() - event.timeStamp));
  }, true);
}"""


class Recorder:
    """Records the server's output, and tells when the sound began or ended."""

    def __init__(self, environment):
        self.process = subprocess.Popen(
            ["parec", "--device=null.monitor", "--format=float32le", f"--rate={RATE}", "--channels=1",
             "--latency-msec=5"], stdout=subprocess.PIPE, env=environment)
        self.levels, self.origin = [], None
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        """The time of a block is that of the recording; nothing is lost in it, so it runs as evenly as the server."""
        size = int(RATE * BLOCK) * 4
        while block := self.process.stdout.read(size):
            # The block that came with the least delay tells when the recording began.
            begin = time.time() - (len(self.levels) + 1) * BLOCK
            self.origin = begin if self.origin is None else min(begin, self.origin)
            self.levels.append(max(map(abs, array.array("f", block)), default=0))

    def change(self, after, is_sound):
        """Seconds from a time to the middle of the next change between sound and silence."""
        first = int((after - self.origin) / BLOCK)
        for index in range(first, len(self.levels)):
            if (self.levels[index] > 0.05) == is_sound:
                return self.origin + index * BLOCK - after
        return None

    def stop(self):
        self.process.kill()
        self.process.wait()


def by_ctl(box):
    """Toggles the pause as `ctl` does, over the control socket; returns the time at which it began."""
    path = next(path for path in (os.path.join(box.folder, "prosper", name)
                                  for name in os.listdir(os.path.join(box.folder, "prosper"))) if path.endswith(".sock"))
    begin = time.time()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        client.sendall(json.dumps({"do": "toggle"}).encode() + b"\n")
        select.select([client], [], [], 5)
    return begin


def pauses(phone, box, recorder):
    """Seconds from a press of the page, and from a command of `ctl`, to the sound that ends or begins; each twelve times."""
    times = {"page": [], "ctl": []}
    is_sound = True
    for turn in range(24):
        is_sound = not is_sound
        name = "page" if turn % 4 < 2 else "ctl"
        if name == "page":
            phone.press("pause")
            begin = phone.page.evaluate("taps[taps.length - 1]") / 1000
        else:
            begin = by_ctl(box)
        box.until(lambda: recorder.change(begin, is_sound) is not None, what="the change of the sound")
        times[name].append(recorder.change(begin, is_sound))
        phone.shows("conditionText", "Playing" if is_sound else "Paused")
        time.sleep(0.3)
    return times


def test_tap_to_sound(browser, box):
    box.play(STEADY)
    phone = Phone(browser, box, box.token).ready()
    phone.page.evaluate(TAPS)
    recorder = Recorder(box.environment)
    try:
        box.until(lambda: recorder.levels and recorder.levels[-1] > 0.05, what="the sound")
        for _ in range(3):
            times = pauses(phone, box, recorder)
            page, ctl = (1000 * statistics.median(times[name]) for name in ("page", "ctl"))
            print(f"    tap to sound {page:.0f} ms, ctl to sound {ctl:.0f} ms (medians of {len(times['ctl'])})")
            # Only where a command of `ctl` was late, too, the machine may be the reason.
            if page <= ctl + 20 or 1000 * max(times["ctl"]) < 2 * ctl:
                break
    finally:
        recorder.stop()
    assert page <= ctl + 20, times
    phone.close()


CLIENTS = 100


def cost(process):
    """The processor time of a process in seconds, and its memory in bytes."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE")


def listener(box):
    """A client that listens to the events."""
    client = socket.create_connection(("127.0.0.1", box.port), 10)
    client.sendall(f"GET /api/events?token={box.view} HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\n\r\n".encode())
    assert client.recv(4096).startswith(b"HTTP/1.1 200")
    client.setblocking(False)
    return client


def test_hundred_clients(_, box):
    """They cost next to nothing, and the sound has no gap. Half of them read nothing."""
    box.play(STEADY)
    process = box.process.pid
    recorder = Recorder(box.environment)
    clients = []
    try:
        box.until(lambda: recorder.levels and recorder.levels[-1] > 0.05, what="the sound")
        begin = len(recorder.levels)
        time.sleep(1)
        alone = cost(process)[0]
        time.sleep(10)
        alone = (cost(process)[0] - alone) / 10
        clients = [listener(box) for _ in range(CLIENTS)]
        time.sleep(1)
        before = cost(process)
        end = time.time() + 10
        while time.time() < end:
            readable = select.select(clients[:CLIENTS // 2], [], [], 0.2)[0]
            for client in readable:
                assert client.recv(1 << 16)
        after = cost(process)
        together = (after[0] - before[0]) / 10
        growth = (after[1] - before[1]) / 1e6
        print(f"    {100 * alone:.1f} % of a core alone, {100 * together:.1f} % with {CLIENTS} clients; {growth:.1f} MB more")
        assert together - alone <= 0.02 and growth < 4
        assert min(recorder.levels[begin:]) > 0.05
    finally:
        recorder.stop()
        for client in clients:
            client.close()
