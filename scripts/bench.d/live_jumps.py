"""A sound whose frames contain their number, and the errors in its capture."""

import array
import dataclasses
import subprocess
import wave

LOW, STEPS = -8192, 16384  # The left channel counts up from LOW in this many steps, the right one counts rounds from 1.
STEADY = 16  # Consecutive frames: fewer may be part of a fade, in which the numbers can't be read.


@dataclasses.dataclass
class Jumps:
    """How often frames are not consecutive, and how much is lost (repeated if below 0) and silent."""
    count: int
    lost: float
    silent: float


def make(folder, rate, seconds):
    """The sound as a FLAC file."""
    raw, path = folder / "counter.wav", folder / "counter.flac"
    with wave.open(str(raw), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        for turn in range(seconds * rate // STEPS + 1):
            frames = array.array("h", bytes(4 * STEPS))
            frames[0::2] = array.array("h", range(LOW, LOW + STEPS))
            frames[1::2] = array.array("h", [turn + 1]) * STEPS
            file.writeframes(frames.tobytes())
    subprocess.run(["sox", "-V1", "-D", raw, path], check=True)
    raw.unlink()
    return path


def count(left, right, rate):
    """The jumps in a capture. Everything between two steady runs of frames is one jump, such as a silence or a fade."""
    jumps = lost = silent = gap = faded = run = 0
    wanted = last = None  # The number that follows the frame before, and the one that follows the last steady run.
    for low, turn in zip(left, right):
        if low == 0 and turn == 0:
            gap, run, wanted = gap + 1, 0, None
            continue
        number = turn * STEPS + low
        run = run + 1 if number == wanted else 1
        wanted = number + 1
        if run < STEADY:
            faded += 1
            continue
        faded -= STEADY - 1 if run == STEADY else 0
        if run == STEADY and last is not None and (gap or faded or number - STEADY + 1 != last):
            jumps, silent = jumps + 1, silent + gap
            lost += number - STEADY + 1 - last - faded
        last, gap, faded = wanted, 0, 0
    if last is None:
        raise RuntimeError("the frames' numbers cannot be read in the capture")
    if gap or faded:
        jumps, silent = jumps + 1, silent + gap
    return Jumps(jumps, lost / rate * 1000, silent / rate * 1000)
