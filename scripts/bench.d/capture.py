"""Records a sound server's monitor, with the time at which each frame was heard.

On PulseAudio's null sink with rewinds, "heard" means: played by the sink's clock. The server passes a block to the
monitor's readers when it renders it, except for its last part, and rewinds only what it has not passed on. The arrival
of a frame is therefore no measure of its time. While the capture requests 5 ms, blocks are 5 ms long and the stream's
timing is correct. The sink's clock is regular, so the timing of these moments applies to the whole capture.

On PipeWire the time of a frame is the beginning of its cycle plus its offset within the cycle.
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
SHORT, LONG = 5, 2000  # Milliseconds of PulseAudio's blocks: as short as possible, and as long as the player requests.
PIPEWIRE = 100  # Milliseconds: more than the longest cycle, so that the capture does not shorten the cycles.
RENDERED = 0.011  # The most seconds that a sink with short blocks has rendered ahead.
NEAR = 20  # Marks on each side of a moment, one per 50 ms, that determine when it was heard.
HIGH = 0.95  # Quantile of PipeWire's timing, which is early by up to a cycle, because it counts whole cycles.
PATIENCE = 15  # Seconds.


class Capture:
    """Records continuously. Times are those of `time.monotonic`; frames are counted from the start of the capture."""

    def __init__(self, server, rate):
        self.rate, self._server = rate, server
        self._samples, self._frames = array.array("h"), 0
        self._marks = []  # (moment, when frame 0 was heard, seconds rendered ahead)
        self._first = self._last = None  # The first and the last audible frame since the last silence.
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
        """Stores the timing if it is correct. The end of a long block looks short, too, so the first one is ignored."""
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
        """Makes PulseAudio render short blocks. Returns when it does, and the longer ones have been played."""
        if self._server.rewinds and not self._short:
            self._process.stdin.write(f"{SHORT}\n".encode())
            self._short = True
            self._wait_for_timing(time.monotonic())

    def lengthen(self):
        """Makes PulseAudio render blocks as long as the player requests."""
        if self._server.rewinds and self._short:
            with self._changed:
                self._short = False
            self._process.stdin.write(f"{LONG}\n".encode())

    def origin(self, moment):
        """When frame 0 was heard, according to the timing nearest to a moment."""
        middle = bisect.bisect(self._marks, (moment,))
        near = sorted(origin for _, origin in self._marks[max(0, middle - NEAR):middle + NEAR])
        return near[int((HIGH if self._server.kind == "pipewire" else 0.5) * (len(near) - 1))]

    def _end(self, moment):
        return self.origin(moment) + self._frames / self.rate

    def settle(self):
        """Returns when everything that was passed on before the call has been played, and can't be rewound any more.

        It does not wait for what is passed on during the call: with short blocks there can always be some.
        """
        now = time.monotonic()
        if self._server.rewinds:
            time.sleep(max(0, self._end(now) - now))

    def reach(self, moment):
        """Returns when the capture contains what was heard at a moment."""
        with self._changed:
            rest = max(0, moment - time.monotonic())
            self._wait(lambda: moment < self._end(moment), "the capture stands still", rest + PATIENCE)

    def wait_for_silence(self, seconds):
        """Returns after that much silence; the next sound counts as the first."""
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
