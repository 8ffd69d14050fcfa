"""What a sound server's monitor hears, and when; and what a process takes while it plays."""

import pathlib
import subprocess
import threading
import time

RATE = 44100
FRAME_BYTES = 4
CHUNK = 64 * FRAME_BYTES  # 1.5 ms: reading more at once would make sound seem later than it is.


class Monitor:
    """Listens to a sink all the time. Silence is exact zeros: nothing but the player plays on a private server."""

    def __init__(self, source):
        self._capture = subprocess.Popen(
            ["parec", "--latency-msec=5", "--device", source, "--format=s16le", f"--rate={RATE}", "--channels=2", "--raw"],
            stdout=subprocess.PIPE, bufsize=0)
        self._changed = threading.Condition()
        self._heard_first = self._heard_last = None
        self._captured = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while chunk := self._capture.stdout.read(CHUNK):
            now, sounds = time.monotonic(), bool(chunk.strip(b"\0"))
            with self._changed:
                self._captured += 1
                if sounds:
                    self._heard_last = now
                    self._heard_first = self._heard_first or now
                self._changed.notify_all()

    def first_sound(self, patience):
        """When the first sound after the last silence was heard; None if nothing is within `patience` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._heard_first, patience)
            return self._heard_first

    def wait_for_silence(self, seconds, patience):
        """Returns when nothing has been heard for so long, and the capture runs; the next sound is the first again."""
        def silent():
            since = max(begun, self._heard_last or 0)
            return self._captured > captured and time.monotonic() - since > seconds

        begun = time.monotonic()
        with self._changed:
            captured = self._captured
            if not self._changed.wait_for(silent, patience):
                raise RuntimeError("the monitor doesn't become silent")
            self._heard_first = None

    def close(self):
        self._capture.terminate()
        self._capture.wait()


def taken(pid):
    """CPU seconds and voluntary waits of all threads that a process has now; a thread's wake-up ends such a wait."""
    nanoseconds = waits = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        nanoseconds += int((task / "schedstat").read_text().split()[0])
        waits += _field(task / "status", "voluntary_ctxt_switches")
    return nanoseconds / 1e9, waits


def memory(pid):
    """The resident memory of a process in MB: now, and at its peak."""
    status = pathlib.Path(f"/proc/{pid}/status")
    return _field(status, "VmRSS") / 1024, _field(status, "VmHWM") / 1024


def _field(path, name):
    for line in path.read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise KeyError(f"{path} has no {name}")
