"""The players of scripts/bench probes: how each of them plays a file, and renders it to a WAV file.

A method returns None if the player does not support it.
"""

import json
import shutil
import socket
import time

FADE = 4  # Seconds of the crossfade into a shorter clip.
READY = 10  # Seconds within which a remote-controlled player must answer.


class Player:
    """A player that exits at the end of the file. Each player is a subclass."""
    name = program = ""
    plays = True
    remote = terminal = False

    def __init__(self, program=None):
        self.program = program or self.program or self.name

    def here(self):
        return shutil.which(self.program) is not None

    def play(self, world, file):
        """The command line that plays a file. Writes the files that it needs into the world's folder."""

    def render(self, world, file, out, way="plain"):
        """The command line that renders a file; `way` can be endless (repeated) or faded (with a fade of a second)."""

    def crossfade(self, world, first, clip, out):
        """The command line that crossfades two files."""

    def ask(self, world, file):
        """Sends a remote-controlled player the command to play; returns its error message."""
        return ""

    def state(self, world):
        """The state that a remote-controlled player reports, and its error message."""
        return "", ""


class Prosper(Player):
    name = "prosper"

    def _session(self, world, stage, **more):
        path = world.folder / "session.json"
        session = {"prosper": 1, "title": "Probe", **more, "stages": [{"name": "Sit", **stage}]}
        path.write_text(json.dumps(session))
        return path

    def play(self, world, file):
        return [self.program, "play", self._session(world, {"tracks": [str(file)]})]

    def render(self, world, file, out, way="plain"):
        stage = {"tracks": [str(file)]} | ({"repeat": "playlist", "repeatCount": 3000} if way == "endless" else {})
        session = self._session(world, stage, **({"fadeIn": "1s"} if way == "faded" else {}))
        return [self.program, "play", session, "--output", out]

    def crossfade(self, world, first, clip, out):
        stage = {"tracks": [str(first), str(clip)], "crossfade": {"duration": FADE, "curve": "equalPower"}}
        return [self.program, "play", self._session(world, stage), "--output", out]


class Mpv(Player):
    name = "mpv"
    begin = ["--no-config", "--no-video", "--quiet"]

    def play(self, world, file):
        return [self.program, *self.begin, "--ao=pulse", file]

    def render(self, world, file, out, way="plain"):
        more = {"plain": [], "endless": ["--loop-file=inf"], "faded": ["--af=lavfi=[afade=d=1]"]}[way]
        return [self.program, *self.begin, "--ao=pcm", f"--ao-pcm-file={out}", *more, file]


class Ffmpeg(Player):
    name = "ffmpeg"
    plays = False
    begin = ["-nostdin", "-hide_banner", "-nostats", "-y"]

    def render(self, world, file, out, way="plain"):
        before = ["-stream_loop", "-1"] if way == "endless" else []
        after = ["-af", "afade=d=1"] if way == "faded" else []
        return [self.program, *self.begin, *before, "-i", file, *after, out]

    def crossfade(self, world, first, clip, out):
        return [self.program, *self.begin, "-i", first, "-i", clip, "-filter_complex", f"acrossfade=d={FADE}", out]


class Ffplay(Player):
    name = "ffplay"

    def play(self, world, file):
        return [self.program, "-hide_banner", "-nostats", "-nodisp", "-autoexit", file]


class Sox(Player):
    name = "sox"

    def play(self, world, file):
        return [self.program, file, "-t", "pulseaudio", "default"]

    def render(self, world, file, out, way="plain"):
        return [self.program, file, out, *{"plain": [], "endless": ["repeat", "-"], "faded": ["fade", "q", "1"]}[way]]


class Mpd(Player):
    name = "mpd"
    remote = True

    def play(self, world, file):
        settings = world.folder / "mpd.conf"
        settings.write_text(f'bind_to_address "{world.folder}/mpd.socket"\nlog_file "/dev/stderr"\n'
                            'audio_output {\n type "pulse"\n name "bench"\n}\n')
        return [self.program, "--no-daemon", settings]

    def _tell(self, world, *lines):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(3)
            client.connect(f"{world.folder}/mpd.socket")
            client.sendall("".join(line + "\n" for line in (*lines, "close")).encode())
            answer = b""
            while piece := client.recv(4096):
                answer += piece
        return answer.decode(errors="replace")

    def ask(self, world, file):
        end = time.monotonic() + READY
        while True:
            try:
                answer = self._tell(world, f'add "file://{file}"', "play")
                return answer if "ACK" in answer else ""
            except OSError:
                if end < time.monotonic():
                    return "no answer"
                time.sleep(0.05)

    def state(self, world):
        try:
            told = dict(line.split(": ", 1) for line in self._tell(world, "status").splitlines() if ": " in line)
        except OSError:
            return "no answer", ""
        names = {"play": "playing", "pause": "paused", "stop": "stopped"}
        return names.get(told.get("state"), "no answer"), told.get("error", "")


class Liquidsoap(Player):
    name = "liquidsoap"
    begin = "settings.init.allow_root.set(true) settings.frame.audio.samplerate.set(48000) "

    def play(self, world, file):
        # Used only at the end of the file, because a shutdown hides the status of a failed output.
        return [self.program, self.begin + f's = once(single("{file}")) '
                "def ended() = if not source.is_ready(s) then shutdown() end end "
                "output.pulseaudio(fallible=true, on_stop=ended, s)"]

    def render(self, world, file, out, way="plain"):
        source = f'single("{file}")' if way == "endless" else f'once(single("{file}"))'
        source = f"fade.in(duration=1., {source})" if way == "faded" else source
        return [self.program, self.begin + f's = {source} clock.assign_new(sync="none", [s]) '
                f'output.file(fallible=true, %wav, "{out}", on_stop=shutdown, s)']


class Cmus(Player):
    name = "cmus"
    remote = terminal = True
    without_bus = "set mpris=false\n"

    def play(self, world, file):
        settings = world.server.home / ".config" / "cmus" / "rc"
        settings.parent.mkdir(parents=True)
        settings.write_text("set output_plugin=pulse\nset continue=false\n" + self.without_bus)
        return [self.program]

    def ask(self, world, file):
        world.until(lambda: (world.server.home / "cmus-socket").exists(), READY)
        return world.tell(["cmus-remote", "-f", str(file)])

    def state(self, world):
        told = dict(line.split(" ", 1) for line in world.tell(["cmus-remote", "-Q"]).splitlines() if " " in line)
        error = "Error" if "Error" in world.said() else ""
        return told.get("status", "no answer"), error


class CmusAsItComes(Cmus):
    """With its default settings, and so with a message bus."""
    without_bus = ""


def players(prosper):
    return [Prosper(prosper), Mpv(), Ffmpeg(), Ffplay(), Sox(), Mpd(), Liquidsoap(), Cmus()]


def packages(names):
    """The Debian packages of the players with these names, except prosper."""
    of = {"ffplay": ["ffmpeg"], "sox": ["sox", "libsox-fmt-pulse"], "prosper": []}
    return [package for name in names for package in of.get(name, [name])]
