"""The probes of playback: what happens when a signal, the sound server or the computer interrupts it."""

import re
import signal
import time

from probe_material import SECONDS
from probe_players import Cmus, CmusAsItComes
from probe_world import World

BEFORE = 2  # Seconds of sound before the fault.
START = 15  # Seconds within which a player must be heard.
AWAY = 2  # Seconds without a server.
HELD = 3  # Seconds of a suspended sink, and of a stopped player.
AFTER = 15  # Seconds after which a silent player counts as silent for good.
CLOSE = 0.05  # Seconds.
LATE = 2  # Seconds before a file's end.
COMPLAINT = re.compile(r"underrun|underflow|xrun|catch ?up|too slow", re.IGNORECASE)


class Silent(Exception):
    """A player that should be heard is silent."""


def begin(world, player, file):
    """Starts a player and waits until it has played for a while; returns the time."""
    world.start(player.play(world, file), player.terminal)
    refusal = player.ask(world, file)
    if not world.until(lambda: world.ear.heard, START):
        status = world.wait(0)
        lines = re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", refusal or world.said()).split("\n")
        last = [line.strip() for line in lines if line.strip()]
        raise Silent(("silent" if status is None else str(status)) + (f': "{last[-1][-36:]}"' if last else ""))
    time.sleep(BEFORE)
    return time.monotonic()


def interruption(heard, since):
    """The longest gap after a moment, and how much of the file it skipped."""
    around = [(when, position) for when, position in heard if since - 0.3 < when]
    pairs = zip(around, around[1:])
    return max((after[0] - before[0], after[1] - before[1] - 0.01) for before, after in pairs)


def missed(lost):
    """What was skipped, as part of a cell."""
    if abs(lost) < CLOSE:
        return ""
    return f", loses {lost:.1f} s" if 0 < lost else f", repeats {-lost:.1f} s"


def end(world, player):
    """The exit status at the end of the file, for a cell; none for a player that does not exit by itself."""
    if player.remote:
        return ""
    status = world.wait(SECONDS + AFTER)
    return ", continues" if status is None else f", {status}"


def ended_early(world, player, since):
    """What a silent player does. One that exits when the file would have ended has played it without sound."""
    status, late = world.wait(0), SECONDS - BEFORE - LATE < time.monotonic() - since
    if status is not None:
        return f"silent to the end, {status}" if late else f"ends, {status}"
    return f"{player.state(world)[0]}, stays silent" if player.remote else "stays silent"


def sounding(probe):
    """A probe that receives a world in which the player has been heard for a while, and since when."""
    def whole(player, material):
        if not player.plays:
            return None
        with World() as world:
            try:
                return probe(world, player, begin(world, player, material / "whole.flac"))
            except Silent as why:
                return str(why)
    return whole


@sounding
def terminated(world, player, _):
    status = world.end(signal.SIGTERM)
    return "continues" if status is None else str(status)


@sounding
def restarted(world, player, since):
    world.server.kill()
    time.sleep(AWAY)
    world.server.start()
    back = time.monotonic()
    if not world.until(lambda: world.sound_since(back - 0.3), AFTER):
        return ended_early(world, player, since)
    time.sleep(1)
    _, lost = interruption(world.ear.heard, since)
    return f"plays on{missed(lost)}{end(world, player)}"


@sounding
def suspended(world, player, since):
    world.server.suspend(True)
    time.sleep(HELD)
    world.server.suspend(False)
    back = time.monotonic()
    if not world.until(lambda: world.sound_since(back + 0.3), AFTER):
        return ended_early(world, player, since)
    time.sleep(1)
    _, lost = interruption(world.ear.heard, since)
    return f"waits{missed(lost)}{end(world, player)}"


@sounding
def frozen(world, player, since):
    said = len(world.said())
    world.signal(signal.SIGSTOP)
    time.sleep(HELD)
    world.signal(signal.SIGCONT)
    back = time.monotonic()
    if not world.until(lambda: world.sound_since(back + 0.3), AFTER):
        return ended_early(world, player, since)
    time.sleep(1)
    gap, lost = interruption(world.ear.heard, since)
    report = "reported" if COMPLAINT.search(world.said()[said:]) else "not reported"
    heard = f"gap {gap:.1f} s, {report}" if 0.1 < gap else "no gap"
    return f"{heard}{missed(lost)}{end(world, player)}"


def no_bus(player, material):
    """No probe has a message bus; here cmus is not configured for that."""
    return bare(CmusAsItComes() if isinstance(player, Cmus) else player, material)


@sounding
def bare(world, player, _):
    return "plays" + end(world, player)
