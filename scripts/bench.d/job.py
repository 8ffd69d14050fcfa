"""The job to measure: a session of 29:40 made of three beds of ten minutes, in the form that each program needs.

Two crossfades of 10 s and equal power, a voice at 0:30, a mantra every 60 s while the second bed plays, five gongs and
a fade-out of 10 s at the end. Times are in seconds.
"""

import json

import material

CROSSFADE = 10
BED_STARTS = [n * (material.BED_SECONDS - CROSSFADE) for n in range(3)]
END = BED_STARTS[-1] + material.BED_SECONDS
VOICE_AT = 30
MANTRA_EVERY = 60
MANTRAS = [BED_STARTS[1] + MANTRA_EVERY * n for n in range(1, 10)]
GONGS = [0, BED_STARTS[1], BED_STARTS[1] + 295, BED_STARTS[2], END - 9]  # The last one has faded away at the end.
VOICE_VOLUME, MANTRA_VOLUME, GONG_VOLUME = 0.9, 0.7, 0.8
RATE = 44100


def small_cues():
    """All sounds in addition to the beds, each as (start, volume, file)."""
    cues = [(VOICE_AT, VOICE_VOLUME, material.small("voice"))]
    cues += [(at, MANTRA_VOLUME, material.small("mantra")) for at in MANTRAS]
    return cues + [(at, GONG_VOLUME, material.small("gong")) for at in GONGS]


def beds(column):
    return [material.bed(index, column) for index in range(3)]


def session(column):
    """Prosper's session file, as text."""
    def gong(*at):
        return {"sound": str(material.small("gong")), "at": list(at), "volume": GONG_VOLUME}

    def stage(name, index, **more):
        return {"name": name, "tracks": [str(material.bed(index, column))], **more}

    voice = {"sound": str(material.small("voice")), "at": VOICE_AT, "volume": VOICE_VOLUME}
    mantras = [{"sound": str(material.small("mantra")), "at": at - BED_STARTS[1], "volume": MANTRA_VOLUME}
               for at in MANTRAS]
    return json.dumps({
        "prosper": 1, "title": "Benchmark", "sampleRate": RATE, "fadeOut": CROSSFADE,
        "crossfade": {"duration": CROSSFADE, "curve": "equalPower"},
        "stages": [
            stage("Arrive", 0, overlays=[voice], gongs=[gong("start")]),
            stage("Sit", 1, overlays=mantras, gongs=[gong("start", GONGS[2] - BED_STARTS[1])]),
            stage("Return", 2, gongs=[gong("start", GONGS[4] - BED_STARTS[2])]),
        ],
    }, indent=1)


def reference(column):
    """The job file of reference.c, as text."""
    lines = [str(END * RATE)]
    for index, bed in enumerate(beds(column)):
        fade_in = CROSSFADE if index else 0
        numbers = (BED_STARTS[index], material.BED_SECONDS, fade_in, CROSSFADE)
        lines.append(" ".join(str(seconds * RATE) for seconds in numbers) + f" 1 {bed}")
    lines += [f"{at * RATE} 0 0 0 {volume} {path}" for at, volume, path in small_cues()]
    return "\n".join(lines) + "\n"


def ffmpeg(column, out):
    """One filter graph. Each short sound is read once and split."""
    inputs = [*beds(column), material.small("voice"), material.small("mantra"), material.small("gong")]
    fade = f"d={CROSSFADE}:c1=qsin:c2=qsin"
    graph = [f"[0][1]acrossfade={fade}[b1]", f"[b1][2]acrossfade={fade}[b2]",
             f"[b2]afade=t=out:st={END - CROSSFADE}:d={CROSSFADE}:curve=qsin[beds]",
             f"[3]volume={VOICE_VOLUME},adelay={VOICE_AT}s:all=1[voice]"]
    mixed = ["beds", "voice"]
    for stream, name, times, volume in ((4, "m", MANTRAS, MANTRA_VOLUME), (5, "g", GONGS, GONG_VOLUME)):
        copies = [f"{name}{n}" for n in range(len(times))]
        graph.append(f"[{stream}]volume={volume},asplit={len(times)}" + "".join(f"[{copy}s]" for copy in copies))
        graph += [f"[{copy}s]adelay={at}s:all=1[{copy}]" for copy, at in zip(copies, times)]
        mixed += copies
    graph.append("".join(f"[{name}]" for name in mixed) + f"amix=inputs={len(mixed)}:duration=first:normalize=0[out]")
    opened = [word for path in inputs for word in ("-i", str(path))]
    return ["ffmpeg", "-nostdin", "-v", "error", "-y", *opened, "-filter_complex", ";".join(graph), "-map", "[out]",
            "-ar", str(RATE), "-sample_fmt", "s16", str(out)]


def sox(column, out):
    """Each sound is faded and padded in its own pipe, and all are mixed."""
    rate = f"rate {RATE} " if column in ("48k-FLAC", "Opus") else ""
    inputs = []
    for start, bed in zip(BED_STARTS, beds(column)):
        fade = f"fade q {CROSSFADE if start else 0} {material.BED_SECONDS} {CROSSFADE}"
        inputs.append((1, f"|sox {bed} -p {rate}{fade} pad {start}"))
    inputs += [(volume, f"|sox {path} -p pad {at}") for at, volume, path in small_cues()]
    mixed = [word for volume, pipe in inputs for word in ("-v", str(volume), pipe)]
    return ["sox", "-V1", "-D", "-m", *mixed, "-b", "16", str(out)]
