"""scripts/bench reaction: from a command's sending to what is heard of it, beside other players."""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import measure
import reaction_capture
import reaction_players
from reaction_capture import RATE
from reaction_players import LEVEL

SINK = "bench"
HEARD = 0.001  # Of full scale: the tracks are at 0.25, so this is 48 dB below them.
WINDOW = 0.6  # Seconds behind a command in which its effect is looked for.
REST = (0.7, 1.0)  # Seconds between two commands: drawn anew each time, so that no device's period keeps step with us.
WORDS = ("pause", "resume", "next")
GOALS = {"pause": 30, "resume": 10, "next": 10}  # Milliseconds.


def arguments(given):
    parser = argparse.ArgumentParser(prog="scripts/bench reaction", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--trials", type=int, default=50, help="of each command and player (50)")
    parser.add_argument("--rounds", type=int, default=5, help="in which the players take turns (5)")
    parser.add_argument("--only", default="prosper,mpv,mpd", help="a comma-separated list of players: prosper,mpv,mpd")
    return parser.parse_args(given)


def loud(samples):
    """The indices of the frames that are heard."""
    return [index for index, sample in enumerate(samples) if HEARD < abs(sample)]


def jump(samples):
    """The largest step from one frame to the next, as a share of the tracks' level."""
    return max((abs(after - before) for before, after in zip(samples, samples[1:])), default=0.0) / LEVEL


def effect(capture, word, sent, side):
    """Milliseconds from sending a command to what is heard of it, and the largest jump; None where nothing is heard.

    `side` is where the track sounds that a `next` leads to.
    """
    begin, *channels = capture.since(sent, WINDOW)
    if word == "next":
        heard = loud(channels[side])
        index = heard[0] if heard else None
    else:
        heard = sorted(loud(channels[0]) + loud(channels[1]))
        silent = heard and heard[-1] + 1 == len(channels[0])
        index = None if not heard or (word == "pause" and silent) else heard[-1] + 1 if word == "pause" else heard[0]
    return None if index is None else (begin + index / RATE * 1000, max(map(jump, channels)))


def play_round(player, trials, side, folder, capture):
    """Starts a player, tells it what is measured again and again, and returns (command, when it was sent, side)."""
    told = []
    player.start(folder)
    try:
        time.sleep(3)
        for _ in range(trials):
            for word in WORDS:
                side = 1 - side if word == "next" else side
                told.append((word, player.tell(word), side))
                time.sleep(random.uniform(*REST))
    finally:
        player.stop()
    time.sleep(0.5)
    return [(word, *(effect(capture, word, sent, side) or (None, None))) for word, sent, side in told]


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def row(name, word, effects):
    """One line of the table; trials whose effect was not heard within the window are told apart."""
    times = [milliseconds for milliseconds, _ in effects if milliseconds is not None]
    jumps = [jump for _, jump in effects if jump is not None]
    if not times:
        return f"{name:9}{word:8}no effect heard in {len(effects)} trials"
    numbers = "".join(f"{number:9.1f}" for number in (
        min(times), quantile(times, 0.5), quantile(times, 0.95), max(times)))
    lost = f"   not heard: {len(effects) - len(times)}" if len(times) < len(effects) else ""
    return f"{name:9}{word:8}{len(times):4}{numbers}{GOALS[word]:7}{100 * max(jumps):12.2f}{lost}"


def capture_delay(folder):
    """Milliseconds from writing a click to a stream that waits for it, to its being heard: what every figure holds."""
    capture = reaction_capture.Capture(f"{SINK}.monitor")
    line = ["pacat", "--raw", "--format=float32le", f"--rate={RATE}", "--channels=2", "--latency-msec=1"]
    click = b"\0\0\x80\x3e" * 2 * (RATE // 20)
    sent = []
    with open(folder / "pacat.log", "ab") as log:
        player = subprocess.Popen(line, stdin=subprocess.PIPE, stderr=log, bufsize=0)
        for _ in range(20):
            time.sleep(random.uniform(0.3, 0.5))
            sent.append(time.monotonic())
            player.stdin.write(click)
        time.sleep(0.5)
        player.kill()
        player.wait()
    capture.close()
    heard = [capture.since(moment, 0.25) for moment in sent]
    times = [begin + loud(left)[0] / RATE * 1000 for begin, left, _ in heard if loud(left)]
    return sorted(times)


def measure_all(chosen, players, folder):
    times = capture_delay(folder)
    if not times:
        raise RuntimeError("the capture hears nothing; is the machine too busy?")
    print(f"a click through pacat: {min(times):.1f} least, {quantile(times, 0.5):.1f} ms median of {len(times)}: "
          "what server, pipe and capture take", flush=True)
    effects = {(player.name, word): [] for player in players for word in WORDS}
    for turn in range(chosen.rounds):
        count = (chosen.trials * (turn + 1)) // chosen.rounds - (chosen.trials * turn) // chosen.rounds
        for player in players:
            capture = reaction_capture.Capture(f"{SINK}.monitor")
            for word, milliseconds, click in play_round(player, count, 0, folder, capture):
                effects[player.name, word].append((milliseconds, click))
            capture.close()
    print(f"{'':9}{'ms':8}{'n':>4}{'min':>9}{'p50':>9}{'p95':>9}{'max':>9}{'goal':>7}{'jump, %':>12}")
    for (name, word), found in effects.items():
        print(row(name, word, found), flush=True)
    print("load of the last minute, five and fifteen:", *(f"{load:.1f}" for load in os.getloadavg()))


def main(given):
    chosen = arguments(given)
    names = [name for name in chosen.only.split(",") if name == "prosper" or shutil.which(name)]
    if "PROSPER_BENCH_SERVER" not in os.environ:  # Begins again with a server around it.
        server = measure.ROOT / "scripts" / "pulse-server"
        again = [sys.executable, "-B", "-c", "import sys, reaction; sys.exit(reaction.main(sys.argv[1:]))", *given]
        os.environ["PROSPER_BENCH_SERVER"] = "1"
        os.execv(server, [str(server), "--sink", SINK, "--rate", str(RATE), "--", *again])
    prosper = measure.prosper() if "prosper" in names else None
    with tempfile.TemporaryDirectory(prefix="prosper-bench.") as folder:
        folder = pathlib.Path(folder)
        try:
            measure_all(chosen, reaction_players.players(folder, prosper, names), folder)
        except RuntimeError as error:
            print(f"bench: {error}", file=sys.stderr)
            return 1
    return 0
