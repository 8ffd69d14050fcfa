"""A sound in which each frame says its number, and what is wrong with its capture."""

import array
import dataclasses
import subprocess
import wave

LOW, STEPS = -8192, 16384  # The left channel counts up from LOW in so many steps, the right one counts rounds from 1.
UNREADABLE = 0.1  # Of all frames are no successors: then the numbers cannot be read.


@dataclasses.dataclass
class Jumps:
    """How often the capture does not continue with the next frame; what is lost (or repeated, below 0) and silent."""
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
    """The jumps in a capture; a silence between two frames is a part of one jump."""
    jumps = lost = silent = gap = 0
    wanted = None
    for low, turn in zip(left, right):
        if low == 0 and turn == 0:
            gap += 1
            continue
        number = turn * STEPS + low
        if wanted is not None and (number != wanted or gap):
            jumps, lost, silent = jumps + 1, lost + number - wanted, silent + gap
        wanted, gap = number + 1, 0
    if wanted is None or UNREADABLE * len(left) < jumps:
        raise RuntimeError("the frames' numbers cannot be read in the capture")
    if gap:
        jumps, silent = jumps + 1, silent + gap
    return Jumps(jumps, lost / rate * 1000, silent / rate * 1000)
