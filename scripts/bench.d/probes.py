"""scripts/bench probes: the effects of faults on prosper and other players; ! marks an unmet requirement of prosper."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import measure
import needs
import options
import probe_files
import probe_material
import probe_players
import probe_sound

# Name of each probe -> description, implementation, and what prosper's cell must match (a regular expression).
PROBES = {
    "missing": ("missing file", probe_files.reads("missing.flac"), "66"),
    "empty": ("zero-byte file", probe_files.reads("empty.flac"), "66"),
    "garbage": ("a file without sound", probe_files.reads("garbage.flac"), "66"),
    "truncated": ("FLAC cut short", probe_files.reads("cut.flac"), r"65, \d\.\d of 10 s and silence"),
    "rot": ("FLAC damaged in the middle", probe_files.reads("damaged.flac"), r"65, 9\.\d of 10 s( and silence)?"),
    "full": ("disk full in a render", probe_files.full_disk, "74, no file"),
    "term-render": ("SIGTERM in a render", probe_files.terminated_render, "143, header correct"),
    "term": ("SIGTERM while playing", probe_sound.terminated, "143"),
    "restart": ("server killed, back in 2 s", probe_sound.restarted, r"plays on(, repeats 0\.[12] s)?, 0"),
    "suspend": ("sink suspended 3 s", probe_sound.suspended, "waits, 0"),
    "freeze": ("player frozen 3 s", probe_sound.frozen, r"(no gap|gap \S+ s, reported), 0"),
    "identical": ("two renders with a fade", probe_files.identical, "the same"),
    "clip": ("crossfade into a short clip", probe_files.short_clip, f"0, {probe_files.SHORTENED:.1f} s"),
    "header": ("length in a render's header", probe_files.header, "header correct"),
    "bus": ("no D-Bus session", probe_sound.no_bus, "plays, 0"),
}
NO_SENSE = "—"
LEGEND = """Numbers are exit codes, as a shell reports them; mpd and cmus have none, for they do not exit by themselves.
Damaged files are rendered if the player can, otherwise played. Without a mention of a loss, nothing was lost."""


def arguments(given):
    names = [player.name for player in probe_players.players(None)]
    parser = options.Parser(prog="scripts/bench probes", description=__doc__.split(": ", 1)[1])
    parser.add_argument("probes", nargs="*", metavar="PROBE", help=f"of {', '.join(PROBES)}; all, if none is given")
    parser.add_argument("--only", help=f"a comma-separated list of players: {','.join(names)}")
    chosen = parser.parse_args(given)
    chosen.only = chosen.only.split(",") if chosen.only else names
    for name, known in [(name, PROBES) for name in chosen.probes] + [(name, names) for name in chosen.only]:
        if name not in known:
            parser.error(f"unknown: {name!r}; use some of {', '.join(known)}")
    return chosen


def cell(player, probe, material):
    """The result of one player, and whether it fails to meet a requirement."""
    _, run, requirement = PROBES[probe]
    if not player.here():
        return "not installed", player.name == "prosper"
    try:
        found = run(player, material) or NO_SENSE
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
        found = f"failed: {error}"
    broken = player.name == "prosper" and not re.fullmatch(requirement, found)
    return found + ("!" if broken else ""), broken


def table(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(f"{text:{width}}" for text, width in zip(row, widths)).rstrip())


def ask_all(chosen, players, material):
    """The rows of the table, and the requirements that were not met."""
    rows, broken = [["", *(player.name for player in players)]], []
    for probe in chosen.probes or PROBES:
        row = [PROBES[probe][0]]
        for player in players:
            print(f"\r\x1b[K{probe}: {player.name}" if sys.stderr.isatty() else "", end="", file=sys.stderr, flush=True)
            found, wrong = cell(player, probe, material)
            row.append(found)
            broken += [f"{probe}: {found.rstrip('!')} instead of {PROBES[probe][2]}"] if wrong else []
        rows.append(row)
    print("\r\x1b[K" if sys.stderr.isatty() else "", end="", file=sys.stderr, flush=True)
    return rows, broken


def interrupted(*_):
    """Exits like an error, and only once, so that everything that was started is ended."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def main(given):
    chosen = arguments(given)
    needs.check("pulseaudio", "pulseaudio-utils", "sox", *probe_players.packages(chosen.only),
                *(needs.prosper() if "prosper" in chosen.only else []))
    signal.signal(signal.SIGTERM, interrupted)
    prosper = measure.prosper() if "prosper" in chosen.only else None
    players = [player for player in probe_players.players(prosper) if player.name in chosen.only]
    with tempfile.TemporaryDirectory(prefix="prosper-bench.") as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder  # Removed with all files of the probes, even after an error.
        material = pathlib.Path(folder)
        probe_material.make(material)
        rows, broken = ask_all(chosen, players, material)
    table(rows)
    print(LEGEND)
    for requirement in broken:
        print(f"! {requirement}")
    print("load averages of 1, 5 and 15 minutes:", *(f"{load:.1f}" for load in os.getloadavg()))
    return 1 if broken else 0
