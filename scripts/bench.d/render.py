"""scripts/bench render: time and memory to render one session, compared with other programs that do the same job."""

import collections
import os
import subprocess
import tempfile

import job
import material
import measure
import needs
import options

# The columns of the table: format of the beds, and extension of the output.
COLUMNS = {name: (name, ".wav") for name in material.FORMATS} | {"FLAC-FLAC": ("FLAC", ".flac")}
# Names in the table -> options: with all cores, one and two decoding threads; with a report; levelled.
PROSPER = {"prosper": [], "prosper1": ["--jobs", "1"], "prosper2": ["--jobs", "2"],
           "report": ["--report", "report.html"], "levelled": ["--loudness", "-16"]}
# The installed programs, and the option with which each prints its version.
VERSIONS = {"ffmpeg": "-version", "sox": "--version"}
# The same for the executable $BEFORE, an earlier version, if it is given.
BEFORE = {"before": [], "before1": ["--jobs", "1"]} if os.environ.get("BEFORE") else {}
NAMES = ["floor", "c1", "c2", *BEFORE, *PROSPER, *VERSIONS]
LENGTH_TOLERANCE = 0.1  # Seconds: decoders differ in how much padding of an MP3 they remove.
LEVEL_TOLERANCE = 0.1  # dB, of the whole.
# dB, of every ten seconds: a missing gong changes them by 0.1. MP3 decoders remove different amounts of padding at the
# beginning, which moves the beds by 25 ms, and resamplers differ in where they cut off the highest notes.
PART_TOLERANCE = collections.defaultdict(lambda: 0.08, {"MP3": 0.4, "48k-FLAC": 0.4, "Opus": 0.4})
QUIET = -60  # dB: below it, rounding and dither dominate.


def arguments(given):
    parser = options.Parser(prog="scripts/bench render", description=__doc__.split(": ", 1)[1])
    parser.add_argument("columns", nargs="*", metavar="COLUMN", help=f"of {', '.join(COLUMNS)}; all, if none is given")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds; each runs every program once (5)")
    parser.add_argument("--only", default=",".join(NAMES), help=f"a comma-separated list of programs: {','.join(NAMES)}")
    chosen = parser.parse_args(given)
    chosen.only = chosen.only.split(",")
    if unknown := [name for name in chosen.columns if name not in COLUMNS]:
        parser.error(f"unknown column {unknown[0]!r}; use some of {', '.join(COLUMNS)}")
    if unknown := [name for name in chosen.only if name not in NAMES]:
        parser.error(f"unknown program {unknown[0]!r}; use some of {', '.join(NAMES)}")
    return chosen


def commands(column, folder, prosper):
    """The command line of each program for a column, and its output file."""
    beds, ending = COLUMNS[column]
    for name, text in (("session.json", job.session(beds)), ("reference.job", job.reference(beds))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def out(name):
        return os.path.join(folder, name + ending)

    floor = measure.compile_c("floor", "sndfile", "m")
    reference = measure.compile_c("reference", "sndfile", "soxr", "pthread", "m")
    def render(program, name, jobs):
        return [program, "play", "session.json", "--output", out(name), "--encoding", "s16", "--events", "off", *jobs]

    before = measure.before()
    lines = {
        "floor": [floor, "copy", out("floor"), *job.beds(beds)],
        "c1": [reference, "1", "reference.job", out("c1")],
        "c2": [reference, "2", "reference.job", out("c2")],
        **{name: render(before, name, jobs) for name, jobs in BEFORE.items()},
        **{name: render(prosper, name, jobs) for name, jobs in PROSPER.items()},
        "ffmpeg": job.ffmpeg(beds, out("ffmpeg")),
        "sox": job.sox(beds, out("sox")),
    }
    return {name: (line, out(name)) for name, line in lines.items()}


def levels(path):
    """Length in seconds, level of the whole, and levels of every ten seconds, in dB."""
    said = subprocess.run([measure.compile_c("floor", "sndfile", "m"), "levels", path], check=True,
                          capture_output=True, text=True).stdout.splitlines()
    frames, rate, whole = said[1].split()
    return int(frames) / int(rate), float(whole), [float(level) for level in said[0].split()]


def differences(path, model, tolerance):
    """How the result differs from the model, in words; empty if it does not."""
    seconds, whole, parts = levels(path)
    wanted_seconds, wanted_whole, wanted_parts = model
    found = []
    if abs(seconds - wanted_seconds) > LENGTH_TOLERANCE:
        found.append(f"{seconds:.3f} s long instead of {wanted_seconds:.3f}")
    if abs(whole - wanted_whole) > LEVEL_TOLERANCE:
        found.append(f"{whole:.2f} dB instead of {wanted_whole:.2f}")
    off = [n for n, (level, wanted) in enumerate(zip(parts, wanted_parts))
           if abs(level - wanted) > tolerance and max(level, wanted) > QUIET]
    if off:
        found.append(f"{len(off)} of {len(parts)} parts differ, the first at {off[0] * 10} s "
                     f"({parts[off[0]]:.1f} dB instead of {wanted_parts[off[0]]:.1f})")
    return found


def measure_column(column, chosen, prosper, folder):
    """Runs all programs in turn, several times, so that a slow minute of the machine affects all of them."""
    lines = commands(column, folder, prosper)
    names = [name for name in lines if name in chosen.only]
    costs = collections.defaultdict(list)
    failed = {}
    for _ in range(chosen.rounds):
        for name in [name for name in names if name not in failed]:
            line, path = lines[name]
            try:
                costs[name].append(measure.run(line, folder))
            except (RuntimeError, OSError) as error:
                failed[name] = str(error)
                continue
            if name not in ("floor", "c1", "levelled") and len(costs[name]) == 1:
                failed |= compare(name, path, lines, PART_TOLERANCE[column])
            if name != "c1" and os.path.exists(path):
                os.unlink(path)
    calls = {}
    for name in [name for name in names if name in costs]:
        line, path = lines[name]
        calls[name] = measure.system_calls(line, folder)
        if os.path.exists(path):
            os.unlink(path)
    return {name: measure.median(taken) for name, taken in costs.items()}, calls, failed


def compare(name, path, lines, tolerance):
    model = lines["c1"][1]
    if not os.path.exists(model):
        return {}
    found = differences(path, levels(model), tolerance)
    return {name: "its file differs: " + "; ".join(found)} if found else {}


def table(column, medians, calls, failed):
    ours = medians.get("prosper")
    print(f"\n{column}\n{'':10}{'wall s':>8}{'CPU s':>8}{'MB':>6}{'calls':>8}{'waits':>8}{'others':>8}"
          "   wall and CPU relative to prosper")
    for name, cost in medians.items():
        ratio = f"{cost.wall / ours.wall:8.2f}{cost.cpu / ours.cpu:8.2f}" if ours else ""
        print(f"{name:10}{cost.wall:8.2f}{cost.cpu:8.2f}{cost.memory:6.0f}{calls[name] or '-':>8}{cost.waits:8.0f}"
              f"{cost.preemptions:8.0f}   {ratio}")
    for name, why in failed.items():
        print(f"{name:10}not counted: {why}")


def main(given):
    chosen = arguments(given)
    columns = {COLUMNS[name][0] for name in chosen.columns or COLUMNS}
    needs.check(*material.packages(columns), *needs.compiled("libsndfile1-dev", "libsoxr-dev"), "strace",
                *[name for name in VERSIONS if name in chosen.only],
                *(needs.prosper() if PROSPER.keys() & set(chosen.only) else []))
    print("Making the material (cached in", material.folder(), ")", flush=True)
    material.make([column for column in material.FORMATS if column in columns])
    prosper = measure.prosper() if PROSPER.keys() & set(chosen.only) else None
    print(f"{job.END // 60}:{job.END % 60:02} of sound, medians of {chosen.rounds} rounds, {os.cpu_count()} cores")
    print("floor: decode and write, without mixing; c1, c2: the job in C with one and two threads;\n"
          "prosper1, prosper2: with --jobs 1 and 2; report: with --report; levelled: with --loudness;\n"
          "calls: system calls;\n"
          "waits, others: context switches because a thread waited, and for other reasons",
          *[measure.version(name, option) for name, option in VERSIONS.items() if name in chosen.only], sep="; ")
    bad = False
    for column in chosen.columns or COLUMNS:
        with tempfile.TemporaryDirectory(prefix="prosper-bench.", dir=material.folder().parent) as folder:
            medians, calls, failed = measure_column(column, chosen, prosper, folder)
        table(column, medians, calls, failed)
        bad = bad or bool(failed)
    return 1 if bad else 0
