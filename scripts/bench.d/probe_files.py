"""The probes of files: damaged ones that are read, and what becomes of those that are written."""

import filecmp
import os
import signal
import subprocess

import probe_material
from probe_material import SECONDS, CLIP_SECONDS
from probe_players import FADE
from probe_world import World

PATIENCE = 10  # Seconds beyond a file's own, after which a player waits for ever.
UNDER_WAY = 1_000_000  # Bytes written, when a render is interrupted.
SMALL = 1 << 20  # Bytes of the full disk: less than half of the sound.
CLOSE = 0.1  # Seconds.
HEARD, EXACT = 0.05, 0.01  # Seconds that may be missing where a sound is recorded, and where it is a file.


def extent(sounds, lasts, exact):
    """How much of the sound there is, in words."""
    if SECONDS - exact < sounds:
        return "whole"
    return f"{sounds:.1f} of {SECONDS} s" + (" and silence" if CLOSE < lasts - sounds else "")


def claimed(path):
    """Whether a WAV file's header is right, in words."""
    found = path.exists() and probe_material.header(path)
    if not found:
        return "no file"
    return "header right" if abs(found[0] - found[1]) < 0.001 else f"header {found[0]:.0f} s, has {found[1]:.0f}"


def finished(world, player):
    """The exit status; None where it still runs. A player that ends only when told so is over when it stands still."""
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
            end = "told" if player.state(world)[1] else "not told"
        else:
            end = "waits" if status is None else str(status)
        return f"{end}, {extent(heard, heard, HEARD)}" if heard else end


def reads(name):
    """The probe that reads a file of this name: to a file where the player can, else aloud."""
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
    """The beginning of a command that has file systems of its own: they end with it."""
    return ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"])]


def on_small_disk(line, folder):
    """The same command with a small file system over `folder`, or at least small files where that may not be mounted.

    What it leaves is in FOLDER.left.
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
        return f"{'goes on' if status is None else status}, {claimed(out)}"


def identical(player, material):
    """Two renders with a fade, for a copied file shows nothing."""
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


# Of two tracks, a fade that is longer than half of either becomes half of the shorter one.
SHORTENED = SECONDS + CLIP_SECONDS - min(FADE, CLIP_SECONDS / 2)
