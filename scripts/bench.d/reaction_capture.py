"""Records what a sound server's monitor hears, and tells when each frame of it was heard."""

import array
import bisect
import os
import subprocess
import threading
import time

RATE = 48000
CHANNELS = 2
FRAME_BYTES = 4 * CHANNELS
STEADY = 1.0  # Seconds around a moment in which some piece of the capture has come without delay.
TOGETHER = 0.001  # Seconds: what comes closer behind another piece was handed over with it.


class Capture:
    """Listens all the time. Times are those of `time.monotonic`, frames are counted from the capture's beginning.

    The server hands over a few milliseconds at once, and a busy machine hands them over late. A block that came without
    delay tells when its first frame was heard; as the device's clock runs evenly, it tells it of the frames around too.
    """

    def __init__(self, source, latency_ms=5):
        self._samples = array.array("f")
        self._blocks = []  # (when it came, its first frame)
        self._last = 0.0
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            ["parec", f"--latency-msec={latency_ms}", "--device", source, "--format=float32le", f"--rate={RATE}",
             f"--channels={CHANNELS}", "--raw"], stdout=subprocess.PIPE, bufsize=0)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self):
        rest = b""
        while piece := os.read(self._process.stdout.fileno(), 1 << 16):
            now, piece = time.monotonic(), rest + piece
            whole = len(piece) // FRAME_BYTES * FRAME_BYTES
            rest = piece[whole:]
            with self._lock:
                if TOGETHER < now - self._last:
                    self._blocks.append((now, len(self._samples) // CHANNELS))
                self._last = now
                self._samples.frombytes(piece[:whole])

    def close(self):
        """Ends the capture; what was recorded stays."""
        self._process.terminate()
        self._process.wait()
        self._thread.join()

    def origin(self, moment):
        """When frame 0 was heard, by the device's clock around `moment`; None where the capture stood still."""
        begin = bisect.bisect_left(self._blocks, (moment - STEADY, 0))
        end = bisect.bisect_right(self._blocks, (moment + STEADY, 0))
        return min((came - first / RATE for came, first in self._blocks[begin:end]), default=None)

    def since(self, moment, seconds):
        """What was heard from `moment` on, as (milliseconds of the first frame, both channels); nothing at all where the
        capture stood still."""
        with self._lock:
            origin = self.origin(moment)
            if origin is None:
                return 0.0, array.array("f"), array.array("f")
            first = max(0, int((moment - origin) * RATE) + 1)
            samples = self._samples[first * CHANNELS:(first + int(seconds * RATE)) * CHANNELS]
        return (origin + first / RATE - moment) * 1000, samples[0::2], samples[1::2]
