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


def length(path, wanted):
    """What there is of a WAV file, in words."""
    if not path.exists():
        return "no file"
    found = probe_material.header(path)
    if not found:
        return "no WAV file"
    return "whole" if abs(found[1] - wanted) < CLOSE else f"{found[1]:.1f} of {wanted:g} s"


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
            state, complaint = player.state(world)
            end = ("told, " if complaint else "not told, ") + state
        else:
            end = "waits" if status is None else str(status)
        if not heard:
            return end
        return f"{end}, heard " + ("all" if SECONDS - CLOSE < heard else f"{heard:.1f} of {SECONDS} s")


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
            left = length(out, SECONDS)
            return f"{status}" if left == "no file" or left.startswith("0.0") else f"{status}, {left}"
    return probe


def _on_small_disk(line, folder):
    """The same command with a small file system of its own over `folder`, which tells at the end what is in it."""
    script = f'mount -t tmpfs -o size={SMALL} none "$0" && cd "$0" && {{ "$@"; s=$?; cp -r "$0" "$0.left"; exit $s; }}'
    rights = [] if os.getuid() == 0 else ["--map-root-user"]
    return ["unshare", "--mount", *rights, "sh", "-c", script, folder, *line]


def full_disk(player, material):
    with World(sounding=False) as world:
        line = player.render(world, material / "whole.flac", world.out / "out.wav")
        if not line:
            return None
        may = subprocess.run(_on_small_disk(["true"], world.out), capture_output=True, check=False).returncode == 0
        if not may:
            return "no right to mount"
        (world.folder / "out.left").rename(world.folder / "tried")
        world.start(_on_small_disk(line, world.out))
        status = world.wait(SECONDS + PATIENCE)
        left = list((world.folder / "out.left").iterdir()) if status is not None else []
        size = sum(path.stat().st_size for path in left)
        end = "waits" if status is None else f"{status}"
        return f"{end}, " + ("part of a file" if size else "an empty file" if left else "no file")


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
