"""The probes of files: reading damaged files, and writing under faults."""

import filecmp
import os
import signal
import subprocess

import probe_material
from probe_material import SECONDS, CLIP_SECONDS
from probe_players import FADE
from probe_world import World

PATIENCE = 10  # Seconds beyond the length of a file after which a player counts as hanging.
UNDER_WAY = 1_000_000  # Bytes that have been written when a render is interrupted.
SMALL = 1 << 20  # Bytes of the full disk: less than half of the sound.
CLOSE = 0.1  # Seconds.
HEARD, EXACT = 0.05, 0.01  # Seconds that may be missing in a recording, and in a file.


def extent(sounds, lasts, exact):
    """How much of the sound exists, in words."""
    if SECONDS - exact < sounds:
        return "whole"
    return f"{sounds:.1f} of {SECONDS} s" + (" and silence" if CLOSE < lasts - sounds else "")


def claimed(path):
    """Whether the header of a WAV file is correct, in words."""
    found = path.exists() and probe_material.header(path)
    if not found:
        return "no file"
    return "header correct" if abs(found[0] - found[1]) < 0.001 else f"header {found[0]:.0f} s, has {found[1]:.0f}"


def finished(world, player):
    """The exit status; None if it still runs. A player that does not exit by itself is done when its position stops."""
    if not player.remote:
        return world.wait(SECONDS + PATIENCE)
    begun = world.until(lambda: player.state(world)[0] == "playing", 2)
    world.until(lambda: player.state(world)[0] != "playing", begun * (SECONDS + PATIENCE))
    return world.wait(0)


def played(player, file):
    with World() as world:
        world.start(player.play(world, file), player.terminal)
        if refusal := player.ask(world, file):
            return "refused" if "ACK" in refusal or "Error" in refusal else refusal.strip()[:20]
        status = finished(world, player)
        heard = len(world.ear.heard) / 100
        if player.remote:
            end = "reported" if player.state(world)[1] else "not reported"
        else:
            end = "waits" if status is None else str(status)
        return f"{end}, {extent(heard, heard, HEARD)}" if heard else end


def reads(name):
    """The probe that reads a file of this name: it renders to a file if the player can, otherwise it plays."""
    def probe(player, material):
        with World(sounding=False) as world:
            out = world.out / "out.wav"
            line = player.render(world, material / name, out)
            if not line:
                return played(player, material / name)
            world.start(line)
            status = world.wait(SECONDS + PATIENCE)
            if status is None:
                return "waits"
            found = out.exists() and probe_material.header(out)
            return f"{status}, {extent(probe_material.sounding(out), found[1], EXACT)}" if found else f"{status}"
    return probe


MOUNT = f'mount -t tmpfs -o size={SMALL} none "$0"'
LIMIT = f'trap "" XFSZ && ulimit -f {SMALL // 512}'


def _may_mount():
    tried = subprocess.run([*_apart(), "mount", "-t", "tmpfs", "none", "/tmp"], capture_output=True, check=False)
    return tried.returncode == 0


def _apart():
    """The beginning of a command with private file systems, which end with it."""
    return ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"])]


def on_small_disk(line, folder):
    """The same command with a small file system on `folder`, or with a file size limit if mounting is not allowed.

    The files that it leaves are in FOLDER.left.
    """
    may = _may_mount()
    script = f'{MOUNT if may else LIMIT} && cd "$0" && {{ "$@"; s=$?; cp -r "$0" "$0.left"; exit $s; }}'
    return [*(_apart() if may else []), "sh", "-c", script, folder, *line]


def full_disk(player, material):
    with World(sounding=False) as world:
        line = player.render(world, material / "whole.flac", world.out / "out.wav")
        if not line:
            return None
        world.start(on_small_disk(line, world.out))
        status = world.wait(SECONDS + PATIENCE)
        if status is None:
            return "waits"
        left = list((world.folder / "out.left").iterdir())
        size = sum(path.stat().st_size for path in left)
        return f"{status}, " + ("part of a file" if size else "an empty file" if left else "no file")


def terminated_render(player, material):
    with World(sounding=False) as world:
        out = world.out / "out.wav"
        line = player.render(world, material / "whole.flac", out, "endless")
        if not line:
            return None
        world.start(line)
        if not world.until(lambda: UNDER_WAY < probe_material.written(world.out), PATIENCE):
            return "writes nothing"
        status = world.end(signal.SIGTERM)
        return f"{'continues' if status is None else status}, {claimed(out)}"


def identical(player, material):
    """Two renders with a fade, because a copied file would prove nothing."""
    with World(sounding=False) as world:
        files = [world.out / f"{n}.wav" for n in (1, 2)]
        for file in files:
            line = player.render(world, material / "whole.flac", file, "faded")
            if not line:
                return None
            world.start(line)
            if world.wait(SECONDS + PATIENCE) != 0 or not file.exists():
                return "no file"
        return "the same" if filecmp.cmp(*files, shallow=False) else "differ"


def short_clip(player, material):
    with World(sounding=False) as world:
        out = world.out / "out.wav"
        line = player.crossfade(world, material / "whole.flac", material / "clip.flac", out)
        if not line:
            return None
        world.start(line)
        status = world.wait(SECONDS + PATIENCE)
        found = out.exists() and probe_material.header(out)
        end = "waits" if status is None else f"{status}"
        return f"{end}, " + (f"{found[1]:.1f} s" if found else "no file")


def header(player, material):
    with World(sounding=False) as world:
        out = world.out / "out.wav"
        line = player.render(world, material / "whole.flac", out)
        if not line:
            return None
        world.start(line)
        status = world.wait(SECONDS + PATIENCE)
        return claimed(out) if status == 0 else f"{status}, {claimed(out)}"


# A crossfade that is longer than half of either track becomes half of the shorter one.
SHORTENED = SECONDS + CLIP_SECONDS - min(FADE, CLIP_SECONDS / 2)
