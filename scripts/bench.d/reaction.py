"""scripts/bench reaction: the time from sending a command until its effect is heard, for several players."""

import os
import pathlib
import random
import subprocess
import tempfile
import time

import capture
import measure
import needs
import options
import reaction_players
import servers
from reaction_players import LEVEL, RATE

NAMES = ["prosper", "mpv", "mpd"]
HEARD = 33  # Of 32,768: the tracks are at a quarter, so this is 48 dB below them.
WINDOW = 0.6  # Seconds after a command within which its effect must be heard.
SINK = {
    "pulse": ("--channels", "32"),  # So it renders blocks of 10.7 ms, and a reader receives each one block too early.
    "pipewire": ("--follower",),  # So a reader receives the cycle that the sink receives, and not the one before.
}
PLAYED = 3  # Seconds of sound before the first command.
REST = (0.7, 1.0)  # Seconds before a command, at random, so that it is not in step with a device's period.
WORDS = ("pause", "resume", "next")
GOALS = {  # Milliseconds. On PipeWire one default quantum more, which is 1,024 frames.
    "pulse": {"pause": 30, "resume": 10, "next": 10},
    "pipewire": {"pause": 51.3, "resume": 31.3, "next": 31.3},
}
INCLUDED = {
    "pulse": """Included: the player, the server, and what the sink has rendered and cannot rewind.
Not included: the delay of a sound card, and the way through the monitor. Sound is heard when the sink's clock plays it.
What replaces another sound may appear in the capture up to 10.7 ms late.""",
    "pipewire": """Included: the player, the server, and the rest of the running cycle.
A cycle has 2,048 frames (42.7 ms) unless the player asks for less. Not included: the delay of a sound card, and the way
through the monitor: the sink follows the clock of PipeWire's dummy driver, so that its monitor passes on the cycle that
the sink receives. Frames are heard one by one from the beginning of their cycle on, to about 3 ms.""",
}
RESUMED = """During a pause the null sink renders up to 2 s of silence, and can rewind only as much as the player's latency;
a sound card can rewind everything. So the sink renders 5 ms at a time during a pause, until the resume is heard."""


def arguments(given):
    parser = options.Parser(prog="scripts/bench reaction", description=__doc__.split(": ", 1)[1])
    servers.add_options(parser)
    parser.add_argument("--trials", type=int, default=30, help="trials of each command and player (30)")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds; each runs every player once (3)")
    parser.add_argument("--only", default=",".join(NAMES), help=f"a comma-separated list of players: {','.join(NAMES)}")
    chosen = parser.parse_args(given)
    chosen.only = chosen.only.split(",")
    if unknown := [name for name in chosen.only if name not in NAMES]:
        parser.error(f"unknown player {unknown[0]!r}; use some of {', '.join(NAMES)}")
    return chosen


def loud(samples):
    """The indices of the audible frames."""
    return [index for index, sample in enumerate(samples) if HEARD < abs(sample)]


def jump(samples):
    """The largest step between two frames, as a share of the tracks' level."""
    return max((abs(after - before) for before, after in zip(samples, samples[1:])), default=0.0) / LEVEL


def effect(heard, word, sent, side):
    """Milliseconds from sending a command until its effect is heard, and the largest jump; None if nothing is heard.

    `side` is the side on which the track after `next` plays.
    """
    begin, *channels = heard.since(sent, WINDOW)
    if word == "next":
        sounding = loud(channels[side])
        index = sounding[0] if sounding else None
    else:
        sounding = sorted(loud(channels[0]) + loud(channels[1]))
        unheard = not sounding or (word == "pause" and sounding[-1] + 1 == len(channels[0]))
        index = None if unheard else sounding[-1] + 1 if word == "pause" else sounding[0]
    return None if index is None else (begin + index / RATE * 1000, max(map(jump, channels)))


def play_round(player, trials, folder, heard):
    """Starts a player and sends it each command repeatedly; yields (command, milliseconds, jump) of each trial."""
    told, side = [], 0
    player.start(folder)
    try:
        heard.first_sound()
        time.sleep(PLAYED)
        for word in WORDS * trials:
            heard.shorten() if word == "resume" else heard.lengthen()
            time.sleep(random.uniform(*REST))
            heard.settle()
            side = 1 - side if word == "next" else side
            told.append((word, player.tell(word), side))
            time.sleep(WINDOW)
        heard.reach(told[-1][1] + WINDOW)
    finally:
        player.stop()
    return [(word, *(effect(heard, word, sent, side) or (None, None))) for word, sent, side in told]


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def row(name, word, effects, goal):
    """One line of the table, with the number of trials whose effect was not heard within the window."""
    times = [milliseconds for milliseconds, _ in effects if milliseconds is not None]
    jumps = [jump for _, jump in effects if jump is not None]
    if not times:
        return f"{name:9}{word:8}no effect heard in {len(effects)} trials"
    numbers = "".join(f"{number:9.1f}" for number in (
        min(times), quantile(times, 0.5), quantile(times, 0.95), max(times)))
    lost = f"   not heard: {len(effects) - len(times)}" if len(times) < len(effects) else ""
    return f"{name:9}{word:8}{len(times):4}{numbers}{goal:7}{100 * max(jumps):12.2f}{lost}"


def click(server, folder):
    """Milliseconds from writing a click to a waiting stream until it is heard. Every result includes this time."""
    line = ["pacat", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=2", "--latency-msec=1"]
    sound = b"\0\x20" * 2 * (RATE // 20)
    sent = []
    with open(folder / "pacat.log", "ab") as log, capture.Capture(server, RATE) as heard:
        player = subprocess.Popen(line, stdin=subprocess.PIPE, stderr=log, bufsize=0)
        for _ in range(20):
            time.sleep(random.uniform(0.3, 0.5))
            sent.append(time.monotonic())
            player.stdin.write(sound)
        heard.reach(sent[-1] + 0.25)
        player.kill()
        player.wait()
        found = [heard.since(moment, 0.25) for moment in sent]
    return [begin + loud(left)[0] / RATE * 1000 for begin, left, _ in found if loud(left)]


def measure_all(chosen, prosper, server, folder):
    players = reaction_players.players(folder, prosper, chosen.only)
    times = click(server, folder)
    if not times:
        raise RuntimeError("the capture contains no click")
    print(f"A click through pacat: minimum {min(times):.1f} ms, median {quantile(times, 0.5):.1f} ms, of {len(times)}.",
          INCLUDED[server.kind], *([RESUMED] if server.rewinds else []), sep="\n", flush=True)
    effects = {(player.name, word): [] for player in players for word in WORDS}
    for turn in range(chosen.rounds):
        count = (chosen.trials * (turn + 1)) // chosen.rounds - (chosen.trials * turn) // chosen.rounds
        for player in players:
            with capture.Capture(server, RATE) as heard:
                for word, milliseconds, step in play_round(player, count, folder, heard):
                    effects[player.name, word].append((milliseconds, step))
    print(f"{'':9}{'ms':8}{'n':>4}{'min':>9}{'p50':>9}{'p95':>9}{'max':>9}{'goal':>7}{'jump, %':>12}")
    for (name, word), found in effects.items():
        print(row(name, word, found, GOALS[server.kind][word]), flush=True)


def main(given):
    chosen = arguments(given)
    needs.check(*servers.packages(chosen), *needs.compiled("libpulse-dev"), "sox",
                *[name for name in chosen.only if name != "prosper"],
                *(needs.prosper() if "prosper" in chosen.only else []))
    prosper = measure.prosper() if "prosper" in chosen.only else None
    with tempfile.TemporaryDirectory(prefix="prosper-bench.") as folder:
        folder = pathlib.Path(folder)
        failed = servers.on_each(chosen, RATE, lambda server: measure_all(chosen, prosper, server, folder), SINK)
    print("load averages of 1, 5 and 15 minutes:", *(f"{load:.1f}" for load in os.getloadavg()))
    return failed
