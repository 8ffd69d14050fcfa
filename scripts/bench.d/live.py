"""scripts/bench live: time to the first sound, CPU, wake-ups, memory and jumps of players and their sound server."""

import os
import pathlib
import statistics
import tempfile
import time

import account
import capture
import live_jumps
import live_players
import material
import measure
import needs
import options
import servers

RATE = 44100
SILENCE = 0.3  # Seconds of silence between two starts: longer than what a stopped player leaves in the buffers.
SETTLING = 5  # Seconds until buffers are full and start-up is complete.
BEGIN = 1  # Seconds after the first sound from which jumps are counted.
BEFORE = ["before"] if measure.before() else []
NAMES = ["floor-2s", "floor-200ms", "floor-70ms", "paplay", *BEFORE, "prosper", "mpv", "mpd"]
FLOOR = "floor-2s"
LEGEND = """CPU in seconds per minute, wake-ups per second, resident memory in MB, of the player and of the server.
x: the sum of player and server, relative to floor-2s; for "busy" (a crossfade, an overlay, a gong) relative to prosper
with one bed. During this measurement nothing reads the monitor. Jumps: the positions in a capture of {listened:g} s
at which frames are not consecutive, with the milliseconds that are lost (below 0: repeated) and silent there. paplay is
the control. On PipeWire, floor-70ms and prosper use the default period of 1,024 frames, the others at least 2,048."""


def arguments(given):
    parser = options.Parser(prog="scripts/bench live", description=__doc__.split(": ", 1)[1])
    servers.add_options(parser)
    parser.add_argument("--rounds", type=int, default=7, help="number of rounds; each starts every player once (7)")
    parser.add_argument("--seconds", type=float, default=30, help="how long to measure resources; 0: not at all (30)")
    parser.add_argument("--listen", type=float, default=24, help="how long to count jumps; 0: not at all (24)")
    parser.add_argument("--only", default=",".join([*NAMES, "busy"]), help=f"some of {','.join(NAMES)},busy")
    chosen = parser.parse_args(given)
    chosen.only = chosen.only.split(",")
    if unknown := [name for name in chosen.only if name not in (*NAMES, "busy")]:
        parser.error(f"unknown player {unknown[0]!r}; use some of {', '.join(NAMES)}, busy")
    return chosen


def first_sounds(players, rounds, server, folder):
    """Milliseconds from exec to the first sound, of each player in every round."""
    times = {player.name: [] for player in players}
    with capture.Capture(server, RATE) as heard:
        for player in players * rounds:
            heard.wait_for_silence(SILENCE)
            begun = time.monotonic()
            process = player.start(folder)
            try:
                times[player.name].append((heard.first_sound()[0] - begun) * 1000)
            except RuntimeError as error:
                raise RuntimeError(f"{player.name}: {error}: {player.why(folder)}") from None
            finally:
                live_players.stop(process)
    return times


def consumption(player, seconds, server, folder):
    """The resources that the player and the server use."""
    process = player.start(folder)
    try:
        time.sleep(SETTLING)
        return account.over(seconds, [process.pid], server.processes())
    except OSError:
        raise RuntimeError(f"{player.name} ended early: {player.why(folder)}") from None
    finally:
        live_players.stop(process)


def jumps(player, seconds, server, folder):
    """The jumps in the capture of the sound whose frames contain their number."""
    with capture.Capture(server, RATE) as heard:
        heard.lengthen()
        process = player.start(folder)
        try:
            began, frame = heard.first_sound()
            heard.reach(began + BEGIN + seconds)
        finally:
            live_players.stop(process)
        begin = frame + int(BEGIN * RATE)
        return live_jumps.count(*heard.frames(begin, begin + int(seconds * RATE)), RATE)


def used(uses, base):
    """The columns for resources: of player and server, and the ratio of their sum to that of `base`."""
    player, server = uses
    whole, unit = player + server, sum(base or uses, account.Use())
    return (f"{player.cpu:8.3f}{server.cpu:8.3f}{whole.cpu / unit.cpu:6.1f}x"
            f"{player.wakeups:8.1f}{server.wakeups:8.1f}{whole.wakeups / unit.wakeups:6.1f}x"
            f"{player.memory:7.1f}{player.peak:6.0f}{server.memory:7.0f}{server.peak:6.0f}")


def header(chosen):
    text = f"{'':12}{'first sound ms':>24}"
    if chosen.seconds > 0:
        text += f"{'CPU':>8}{'server':>8}{'x':>7}{'wakes':>8}{'server':>8}{'x':>7}"
        text += f"{'MB':>7}{'peak':>6}{'server':>7}{'peak':>6}"
    return text + (f"{'jumps':>7}{'lost ms':>10}{'silent':>9}" if chosen.listen > 0 else "")


def measure_all(chosen, prosper, counter, server, folder):
    names = [name for name in chosen.only if name != "busy"]
    players = live_players.players(folder, prosper, material.bed(0, "FLAC"), names)
    counting = live_players.players(folder, prosper, counter, names)
    times = first_sounds(players, chosen.rounds, server, folder) if chosen.rounds else {}
    print(header(chosen))
    uses = {}
    for player, numbered in zip(players, counting):
        heard = times.get(player.name)
        row = f"{statistics.median(heard):8.1f} ({min(heard):6.1f},{max(heard):7.1f})" if heard else ""
        row = f"{player.name:12}{row:>24}"
        if chosen.seconds > 0:
            uses[player.name] = consumption(player, chosen.seconds, server, folder)
            row += used(uses[player.name], uses.get(FLOOR))
        if chosen.listen > 0:
            found = jumps(numbered, chosen.listen, server, folder)
            row += f"{found.count:7}{found.lost:10.1f}{found.silent:9.1f}"
        print(row, flush=True)
    if "busy" in chosen.only and chosen.seconds > 0:
        taken = consumption(live_players.busy(folder, prosper), chosen.seconds, server, folder)
        print(f"{'busy':12}{'':24}{used(taken, uses.get('prosper'))}")


def main(given):
    chosen = arguments(given)
    needs.check("pulseaudio-utils", *servers.packages(chosen), *needs.compiled("libpulse-dev", "libsndfile1-dev"),
                *material.packages(["FLAC"]), *[name for name in chosen.only if name in ("mpv", "mpd")],
                *(needs.prosper() if "prosper" in chosen.only or "busy" in chosen.only else []))
    material.make(["FLAC"])
    prosper = measure.prosper() if "prosper" in chosen.only or "busy" in chosen.only else "prosper"
    with tempfile.TemporaryDirectory(prefix="prosper-bench.") as folder:
        folder = pathlib.Path(folder)
        counter = live_jumps.make(folder, RATE, int(chosen.listen + 30))
        failed = servers.on_each(chosen, RATE, lambda server: measure_all(chosen, prosper, counter, server, folder))
    print(f"\n{LEGEND.format(listened=chosen.listen)}")
    print("load averages of 1, 5 and 15 minutes:", *(f"{load:.1f}" for load in os.getloadavg()))
    return failed
