"""What a sound server's monitor hears, and when.

On PulseAudio's null sink that rewinds, "heard" means: played by the sink's clock. The server hands a block to the
monitor's readers when it is rendered, but for its last part, and takes back only what it has not handed over. So the
arrival of a frame says nothing about its time. While the capture asks for 5 ms, blocks are 5 ms long and the stream's
timing is right. The sink's clock is even, so the timing of these moments holds for the whole capture.

On PipeWire a frame is heard as long after the beginning of its cycle as it stands behind the cycle's first frame.
"""

import array
import bisect
import struct
import subprocess
import threading
import time

import measure
import servers

CHANNELS = 2
FRAME_BYTES = 2 * CHANNELS
SHORT, LONG = 5, 2000  # Milliseconds of PulseAudio's blocks: as short as may be, and as long as the player wants.
PIPEWIRE = 100  # Milliseconds: more than the longest cycle, so that the capture does not shorten the cycles.
RENDERED = 0.011  # Seconds that a sink with short blocks has rendered ahead at most.
NEAR = 20  # Marks on each side of a moment, one in 50 ms, say when it was heard.
HIGH = 0.95  # Of PipeWire's timing, which is early by up to a cycle: it counts whole cycles.
PATIENCE = 15  # Seconds.


class Capture:
    """Listens all the time. Times are those of `time.monotonic`, frames are counted from the capture's beginning."""

    def __init__(self, server, rate):
        self.rate, self._server = rate, server
        self._samples, self._frames = array.array("h"), 0
        self._marks = []  # (moment, when frame 0 was heard, seconds rendered ahead)
        self._first = self._last = None  # The first frame that sounds since the last silence, and the last one.
        self._changed = threading.Condition()
        self._short, self._was_right = True, False
        program = measure.compile_c("capture", "pulse")
        fragment = SHORT if server.kind == "pulse" else PIPEWIRE
        self._process = subprocess.Popen([program, servers.MONITOR, str(rate), str(fragment)], bufsize=0,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self._wait_for_timing(time.monotonic())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        self._thread.join()

    def _listen(self):
        with open(self._process.stdout.fileno(), "rb", closefd=False) as pipe:
            while len(head := pipe.read(8)) == 8:
                kind, length = struct.unpack("=II", head)
                body = pipe.read(length)
                with self._changed:
                    self._take_frames(body) if kind == 0 else self._take_timing(*struct.unpack("=ddd", body))
                    self._changed.notify_all()

    def _take_frames(self, body):
        if sounds := body.lstrip(b"\0"):
            self._last = self._frames + (len(body.rstrip(b"\0")) - 1) // FRAME_BYTES
            if self._first is None:
                self._first = self._frames + (len(body) - len(sounds)) // FRAME_BYTES
        self._samples.frombytes(body)
        self._frames += len(body) // FRAME_BYTES

    def _take_timing(self, moment, origin, rendered):
        """Takes the timing where it is right. The end of a long block looks short, too, so the first does not count."""
        right = not self._server.rewinds or (self._short and rendered <= RENDERED)
        if right and self._was_right:
            self._marks.append((moment, origin))
        self._was_right = right

    def _wait(self, condition, why, seconds=PATIENCE):
        if not self._changed.wait_for(condition, seconds):
            raise RuntimeError(why)

    def _wait_for_timing(self, since):
        with self._changed:
            self._wait(lambda: self._marks and since < self._marks[-1][0], "the monitor has no timing")

    def shorten(self):
        """Has PulseAudio render short blocks, and returns when it does; what is longer has been played then."""
        if self._server.rewinds and not self._short:
            self._process.stdin.write(f"{SHORT}\n".encode())
            self._short = True
            self._wait_for_timing(time.monotonic())

    def lengthen(self):
        """Has PulseAudio render blocks as long as the player asks for."""
        if self._server.rewinds and self._short:
            with self._changed:
                self._short = False
            self._process.stdin.write(f"{LONG}\n".encode())

    def origin(self, moment):
        """When frame 0 was heard, by the timing nearest to a moment."""
        middle = bisect.bisect(self._marks, (moment,))
        near = sorted(origin for _, origin in self._marks[max(0, middle - NEAR):middle + NEAR])
        return near[int((HIGH if self._server.kind == "pipewire" else 0.5) * (len(near) - 1))]

    def _end(self, moment):
        return self.origin(moment) + self._frames / self.rate

    def settle(self):
        """Returns when all that was handed over before the call has been played: it cannot be taken back any more.

        What is handed over meanwhile is not waited for: with short blocks that can be always some.
        """
        now = time.monotonic()
        if self._server.rewinds:
            time.sleep(max(0, self._end(now) - now))

    def reach(self, moment):
        """Returns when the capture has what was heard at a moment."""
        with self._changed:
            rest = max(0, moment - time.monotonic())
            self._wait(lambda: moment < self._end(moment), "the capture stands still", rest + PATIENCE)

    def wait_for_silence(self, seconds):
        """Returns after so much silence; the next sound is the first again."""
        with self._changed:
            begun = self._frames
            self._wait(lambda: self._frames - max(begun, self._last or 0) > seconds * self.rate,
                       "the monitor does not become silent")
            self._first = None

    def first_sound(self):
        """When the first sound after the last silence was heard, and its frame."""
        with self._changed:
            self._wait(lambda: self._first is not None, "no sound is heard")
            frame = self._first
        near = time.monotonic()
        if self._short or not self._server.rewinds:
            self._wait_for_timing(near)
        return self.origin(near) + frame / self.rate, frame

    def since(self, moment, seconds):
        """What was heard from a moment on, as (milliseconds of the first frame after it, both channels)."""
        origin = self.origin(moment)
        first = max(0, int((moment - origin) * self.rate) + 1)
        left, right = self.frames(first, first + int(seconds * self.rate))
        return (origin + first / self.rate - moment) * 1000, left, right

    def frames(self, begin, end):
        """Both channels of some frames."""
        with self._changed:
            samples = self._samples[begin * CHANNELS:end * CHANNELS]
        return samples[0::2], samples[1::2]
