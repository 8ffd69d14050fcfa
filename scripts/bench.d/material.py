"""The sound files of the benchmark job, made once from the samples of the package sonic-pi-samples, and cached.

Three ten-minute beds in six formats, a voice, a mantra and a gong: 44.1 kHz, stereo, 16 bit; two formats have 48 kHz.
"""

import concurrent.futures
import os
import pathlib
import subprocess

SAMPLES = pathlib.Path("/usr/share/sonic-pi/samples")
BED_SECONDS = 600
RECIPE = "1"  # Increment it whenever the code below changes: material of another version is made again.

# Real recordings of different densities, so that decoders get easy and hard frames; each bed has its own order.
BED_SAMPLES = [
    "ambi_glass_hum ambi_haunted_hum guit_em9 ambi_lunar_land loop_tabla ambi_sauna ambi_piano guit_e_fifths",
    "ambi_drone guit_harmonics ambi_sauna loop_garzul ambi_dark_woosh ambi_glass_rub ambi_choir ambi_haunted_hum",
    "guit_e_slide ambi_lunar_land loop_safari ambi_glass_hum loop_drone_g_97 ambi_piano guit_em9 ambi_swoosh",
]
VOICE_SAMPLES = " ".join(f"mehackit_robot{n}" for n in range(1, 8))

# Name of a column of the table -> extension of its beds, and the sox options that write them.
FORMATS = {
    "WAV": (".wav", []),
    "FLAC": (".flac", ["-C", "5"]),
    "MP3": (".mp3", ["-C", "192.2"]),
    "Vorbis": (".ogg", ["-C", "5"]),
    "48k-FLAC": (".48k.flac", ["-C", "5"]),
    "Opus": (".opus", ["-c:a", "libopus", "-b:a", "128k", "-ar", "48000"]),
}


def folder():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "prosper-bench" / f"material-{RECIPE}"


def bed(index, column):
    return folder() / f"bed{index + 1}{FORMATS[column][0]}"


def small(name):
    """Path of the voice, the mantra or the gong."""
    return folder() / f"{name}.flac"


def _sox(*arguments, effects):
    """Writes to a temporary name and renames, so that an interrupted run leaves no incomplete file."""
    *inputs, target = map(str, arguments)
    begun = os.path.join(os.path.dirname(target), "begun-" + os.path.basename(target))
    subprocess.run(["sox", "-V1", "-D", *inputs, begun, *map(str, effects)], check=True)
    os.rename(begun, target)


def _ffmpeg(*arguments):
    """As `_sox`, for a format that SoX can't write."""
    source, *options, target = map(str, arguments)
    begun = os.path.join(os.path.dirname(target), "begun-" + os.path.basename(target))
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", source, *options, begun], check=True)
    os.rename(begun, target)


def _joined(samples, target, seconds, level):
    """The samples one after the other, repeated up to `seconds`, with the peak at `level` dB."""
    parts = []
    for name in samples.split():
        parts.append(f"|sox {SAMPLES / name}.flac -p channels 2 norm -1 fade t 0.02 -0 0.02")
    pattern = folder() / f"pattern-{target.stem}.wav"
    _sox(*parts, "-b", "16", pattern, effects=[])
    _sox(pattern, "-b", "16", target, effects=["repeat", "-", "trim", 0, seconds, "norm", level])
    pattern.unlink()


def _make_bed(index, columns):
    source = bed(index, "WAV")
    if not source.exists():
        _joined(BED_SAMPLES[index], source, BED_SECONDS, -9)
    for column in columns:
        _, options = FORMATS[column]
        target = bed(index, column)
        if column == "Opus" and not target.exists():
            _ffmpeg(source, *options, target)
        elif not target.exists():
            rate = ["rate", "48000"] if column == "48k-FLAC" else []
            _sox(source, *options, "-b", "16", target, effects=rate)


def _make_small():
    # Quiet enough that nothing clips where all of them overlap: clipping would hide differences between the programs.
    if not small("voice").exists():
        _joined(VOICE_SAMPLES, small("voice"), 20, -12)
    if not small("mantra").exists():
        _joined("ambi_choir", small("mantra"), 12, -12)
    if not small("gong").exists():
        _sox(SAMPLES / "perc_bell.flac", "-b", "16", small("gong"), effects=["channels", 2, "norm", -12])


def packages(columns):
    """The Debian packages that are needed to make the material of these columns."""
    return ["sonic-pi-samples", "sox", *(["libsox-fmt-mp3"] if "MP3" in columns else []),
            *(["ffmpeg"] if "Opus" in columns else [])]


def make(columns=tuple(FORMATS)):
    """Makes what is missing; the first time takes about a minute."""
    folder().mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for made in [pool.submit(_make_bed, index, columns) for index in range(3)] + [pool.submit(_make_small)]:
            made.result()


if __name__ == "__main__":
    make()
    print(folder())
