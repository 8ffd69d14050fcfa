"""The players that scripts/bench live measures: how each is started with a FLAC file, and stopped."""

import json
import os
import pathlib
import socket
import subprocess
import time

import material
import measure

PATIENCE = 10  # Time limit in seconds for any action of a player.


class Player:
    """A player as its user would start it: a command line with the bed."""

    def __init__(self, name, command, told=None):
        self.name, self.command, self.told = name, command, told

    def start(self, folder):
        """Starts it with a private home and runtime folder, and sends it the command to play, if it needs one."""
        environment = {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            environment.pop(name, None)
        with open(folder / f"{self.name}.log", "ab") as log:
            process = subprocess.Popen(list(map(str, self.command)), cwd=folder, env=environment,
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if self.told:
            self.told()
        return process

    def why(self, folder):
        """The last line that the player printed."""
        said = (folder / f"{self.name}.log").read_text(errors="replace").strip().splitlines()
        return said[-1] if said else "it said nothing"


def stop(process):
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _mpd(folder, sound):
    """MPD, which plays only when a client requests it. The time until the request is included."""
    address, settings = folder / "mpd.socket", folder / "mpd.conf"
    settings.write_text(f'bind_to_address "{address}"\nlog_file "/dev/stderr"\n'
                        'audio_output {\n type "pulse"\n name "bench"\n}\n')

    def tell():
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(address))
                    client.sendall(f'clear\nadd "{sound.as_uri()}"\nplay\nclose\n'.encode())
                    while client.recv(4096):
                        pass
                    return
            except OSError:
                time.sleep(0.001)

    return Player("mpd", ["mpd", "--no-daemon", settings], tell)


def _session(path, **content):
    path.write_text(json.dumps({"prosper": 1, "title": "Bench", **content}))
    return path


def players(folder, prosper, sound, names):
    """The players with these names, playing `sound`. Their session and settings files are written to `folder`."""
    session = _session(folder / f"{sound.stem}.json", stages=[{"name": "Sit", "tracks": [str(sound)]}])
    floor = measure.compile_c("live_floor", "sndfile", "pulse")
    everyone = [
        Player("floor-2s", [floor, sound, 2000]),
        Player("floor-200ms", [floor, sound, 200]),
        Player("floor-70ms", [floor, sound, 70]),
        Player("paplay", ["paplay", sound]),
        Player("before", [measure.before() or "false", "play", session, "--events", "off"]),
        Player("prosper", [prosper, "play", session, "--events", "off"]),
        Player("mpv", ["mpv", "--no-config", "--no-video", "--ao=pulse", "--really-quiet", sound]),
        _mpd(pathlib.Path(folder), sound),
    ]
    return [player for player in everyone if player.name in names]


def busy(folder, prosper):
    """prosper during a crossfade of one minute, with one overlay and one gong."""
    fade, tracks = 60, [str(material.bed(index, "FLAC")) for index in range(2)]
    begin = material.BED_SECONDS - fade
    session = _session(
        folder / "busy.json", crossfade={"duration": fade, "curve": "equalPower"},
        stages=[{"name": "Sit", "tracks": tracks,
                 "overlays": [{"sound": str(material.small("mantra")), "at": begin + 8, "volume": 0.7}],
                 "gongs": [{"sound": str(material.small("gong")), "at": begin + 12, "volume": 0.8}]}])
    return Player("busy", [prosper, "play", session, "--from", f"{begin - 1}s", "--events", "off"])
