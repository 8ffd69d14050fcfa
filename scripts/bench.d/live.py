"""scripts/bench live: the time to the first sound, and the CPU, wake-ups and memory of one bed, beside other players."""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

import live_monitor
import live_players
import material
import measure

SILENCE = 0.3  # Seconds without a sound between two starts: longer than what a stopped player leaves behind.
PATIENCE = 15  # Seconds.
SETTLING = 5  # Seconds until buffers are full and start-up is paid for.
SINK = "bench"


def arguments(given):
    parser = argparse.ArgumentParser(prog="scripts/bench live", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--rounds", type=int, default=7, help="how often each player is started, in turn (7)")
    parser.add_argument("--seconds", type=float, default=40, help="for how long its consumption is measured; 0: not (40)")
    parser.add_argument("--only", help="a comma-separated list of players: floor-2s,floor-200ms,prosper,mpv,mpd")
    return parser.parse_args(given)


def first_sounds(players, rounds, folder):
    """Each player's milliseconds from exec to its first sound on the sink's monitor, of every round."""
    times = {player.name: [] for player in players}
    monitor = live_monitor.Monitor(f"{SINK}.monitor")
    for _ in range(rounds):
        for player in players:
            monitor.wait_for_silence(SILENCE, PATIENCE)
            begun = time.monotonic()
            process = player.start(folder)
            heard = monitor.first_sound(PATIENCE)
            live_players.stop(process)
            if heard is None:
                raise RuntimeError(f"{player.name} makes no sound: {player.why(folder)}")
            times[player.name].append((heard - begun) * 1000)
    monitor.close()
    return times


def consumption(player, seconds, folder):
    """CPU s per minute, wake-ups per second, memory in MB now and at its peak. Nobody listens to the monitor meanwhile:
    that would make the server ask for less at once."""
    process = player.start(folder)
    try:
        time.sleep(SETTLING)
        begun, (cpu, waits) = time.monotonic(), live_monitor.taken(process.pid)
        time.sleep(seconds)
        (later_cpu, later_waits), length = live_monitor.taken(process.pid), time.monotonic() - begun
        return (later_cpu - cpu) / length * 60, (later_waits - waits) / length, *live_monitor.memory(process.pid)
    except OSError:
        raise RuntimeError(f"{player.name} ended early: {player.why(folder)}") from None
    finally:
        live_players.stop(process)


def measure_all(chosen, players, folder):
    times = first_sounds(players, chosen.rounds, folder)
    print(f"{'':12}{'first sound ms (least, most)':>30}{'CPU s/min':>11}{'wake-ups/s':>12}{'MB now':>8}{'peak':>6}")
    for player in players:
        heard = times[player.name]
        row = f"{player.name:12}{statistics.median(heard):12.1f} ({min(heard):6.1f}, {max(heard):6.1f})"
        if chosen.seconds > 0:
            cpu, waits, now, peak = consumption(player, chosen.seconds, folder)
            row += f"{cpu:11.3f}{waits:12.1f}{now:8.0f}{peak:6.0f}"
        print(row, flush=True)


def main(given):
    chosen = arguments(given)
    if "PROSPER_BENCH_SERVER" not in os.environ:  # Begins again with a server around it.
        server = measure.ROOT / "scripts" / "pulse-server"
        again = [sys.executable, "-B", "-c", "import sys, live; sys.exit(live.main(sys.argv[1:]))", *given]
        os.environ["PROSPER_BENCH_SERVER"] = "1"
        os.execv(server, [str(server), "--sink", SINK, "--rate", str(live_monitor.RATE), "--", *again])
    material.make()
    prosper = measure.prosper() if not chosen.only or "prosper" in chosen.only else "prosper"
    with tempfile.TemporaryDirectory(prefix="prosper-bench.") as folder:
        folder = pathlib.Path(folder)
        players = live_players.players(folder, prosper)
        chosen_players = [one for one in players if not chosen.only or one.name in chosen.only.split(",")]
        try:
            measure_all(chosen, chosen_players, folder)
        except RuntimeError as error:
            print(f"bench: {error}", file=sys.stderr)
            return 1
    return 0
