"""The sound files of scripts/bench probes, and the analysis of the WAV files that players make of them.

The material encodes its position: the left channel is constant, and the right one grows from a tenth to the same level.
A little noise makes it as hard to encode as music.
"""

import array
import os
import pathlib
import random
import struct
import subprocess
import wave

RATE = 48000
SECONDS = 10
CLIP_SECONDS = 1
LEVEL = 0.25
NOISE = 64  # Of 32,768.
FIRST_SHARE = 0.1
WINDOW = RATE // 100  # Frames whose mean shows whether there is sound, and at which position.
SILENT = 100  # Of 32,768: a mean below it is silence.
CUT = 0.3  # Share of the file's bytes that is kept.
DAMAGED = 1500  # Bytes in the middle: fewer than one FLAC frame, so at most two frames are affected.


def time_of(left, right):
    """The position in seconds at which the channels have these means."""
    return (right / left - FIRST_SHARE) / (1 - FIRST_SHARE) * SECONDS


def _write(path, seconds):
    chance = random.Random(1)
    frames = array.array("h")
    for index in range(seconds * RATE):
        share = FIRST_SHARE + (1 - FIRST_SHARE) * index / (SECONDS * RATE)
        frames.append(int(LEVEL * 32768) + chance.randint(-NOISE, NOISE))
        frames.append(int(LEVEL * 32768 * share) + chance.randint(-NOISE, NOISE))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(frames.tobytes())


def make(folder):
    """Makes all files in `folder`; the intact one is whole.flac."""
    for name, seconds in (("whole", SECONDS), ("clip", CLIP_SECONDS)):
        _write(folder / f"{name}.wav", seconds)
        subprocess.run(["sox", "-V1", folder / f"{name}.wav", folder / f"{name}.flac"], check=True)
        (folder / f"{name}.wav").unlink()
    whole = (folder / "whole.flac").read_bytes()
    middle = len(whole) // 2
    damaged = bytes(byte ^ 0xA5 for byte in whole[middle:middle + DAMAGED])
    (folder / "cut.flac").write_bytes(whole[:int(CUT * len(whole))])
    (folder / "damaged.flac").write_bytes(whole[:middle] + damaged + whole[middle + DAMAGED:])
    (folder / "garbage.flac").write_bytes(random.Random(2).randbytes(20000))
    (folder / "empty.flac").write_bytes(b"")


def header(path):
    """The length in seconds that the header of a WAV file states, and the actual one; None if it is not a WAV file."""
    size, rate, place = os.path.getsize(path), None, 12
    with open(path, "rb") as file:
        if file.read(12)[8:] != b"WAVE":
            return None
        while len(chunk := file.read(8)) == 8:
            name, length = struct.unpack("<4sI", chunk)
            if name == b"data":
                return rate and (length / rate, (size - place - 8) / rate)
            body = file.read(min(length + length % 2, 1 << 16))
            if name == b"fmt ":
                rate = struct.unpack_from("<I", body, 8)[0]
            place += 8 + len(body)
    return None


def sounding(path):
    """The seconds of sound in a file, without what a player has left out or silenced."""
    line = ["sox", "-V0", path, "-t", "raw", "-e", "signed", "-b", "16", "-L", "-", "remix", "1"]
    raw = subprocess.run(line, capture_output=True, check=False).stdout
    samples = array.array("h", raw[:len(raw) // 2 * 2])
    windows = (samples[begin:begin + WINDOW] for begin in range(0, len(samples), WINDOW))
    return sum(len(window) for window in windows if SILENT < sum(window) / len(window)) / RATE


def written(folder):
    """The current number of bytes in the files of a folder, complete or not."""
    total = 0
    for path in pathlib.Path(folder).iterdir():
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            pass
    return total
