"""The players that scripts/bench reaction measures, each with a remote control whose connection stays open.

All play the same tracks: a constant level, alternately on the left and on the right, which identifies the track.
"""

import array
import json
import os
import pathlib
import socket
import subprocess
import time
import wave

import live_players
from live_players import Player

RATE = 48000
LEVEL = 8192  # Of 32,768.
TRACKS = 64
TRACK_SECONDS = 300
PATIENCE = 30  # Seconds within which a new player must answer.


class Remote:
    """Sends commands as lines, and reads the answers, so that neither side waits for the other."""

    def __init__(self, address):
        self._socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + PATIENCE
        while (error := self._socket.connect_ex(str(address))) != 0:
            if end < time.monotonic():
                raise RuntimeError(f"nobody answers at {address}: {os.strerror(error)}")
            time.sleep(0.01)

    def send(self, line):
        """Returns the time at which it was sent."""
        self._socket.setblocking(False)
        try:
            while self._socket.recv(1 << 16):
                pass
        except BlockingIOError:
            pass
        self._socket.setblocking(True)
        line = (line + "\n").encode()
        sent = time.monotonic()
        self._socket.sendall(line)
        return sent

    def close(self):
        self._socket.close()


class Remoted:
    """A player, the address of its remote control, and its words for the commands that are measured."""

    def __init__(self, player, address, words, begin=()):
        self.name, self._player, self._address, self._begin = player.name, player, address, begin
        self.words = words
        self._process = self._remote = None

    def start(self, folder):
        self._process = self._player.start(folder)
        address = self._address(self._process.pid) if callable(self._address) else self._address
        try:
            self._remote = Remote(address)
        except RuntimeError as error:
            raise RuntimeError(f"{self.name}: {error}; it says: {self._player.why(folder)}") from None
        for line in self._begin:
            self._remote.send(line)

    def tell(self, word):
        return self._remote.send(self.words[word])

    def stop(self):
        if self._remote:
            self._remote.close()
        live_players.stop(self._process)
        self._remote = None


def make_tracks(folder):
    """Makes two FLAC files of constant level, one on each side; returns the playlist, in which they alternate."""
    tracks = []
    for side in (0, 1):
        path, raw = folder / f"side{side}.flac", folder / f"side{side}.wav"
        frame = [0, 0]
        frame[side] = LEVEL
        with wave.open(str(raw), "wb") as file:
            file.setnchannels(2)
            file.setsampwidth(2)
            file.setframerate(RATE)
            for _ in range(TRACK_SECONDS):
                file.writeframes(array.array("h", frame * RATE).tobytes())
        subprocess.run(["sox", "-V1", raw, path], check=True)
        raw.unlink()
        tracks.append(path)
    return tracks * (TRACKS // 2)


def _prosper(folder, program, tracks):
    session = folder / "session.json"
    stage = {"name": "Sit", "duration": "open", "tracks": list(map(str, tracks)), "crossfade": {"duration": 0}}
    session.write_text(json.dumps({"prosper": 1, "title": "Reaction", "stages": [stage]}))
    words = {word: json.dumps({"do": word}) for word in ("pause", "resume", "next")}
    player = Player("prosper", [program, "play", session, "--events", "off"])
    return Remoted(player, lambda pid: folder / "prosper" / f"{pid}.sock", words)


def _mpv(folder, tracks):
    address, playlist = folder / "mpv.socket", folder / "mpv.m3u"
    playlist.write_text("".join(f"{track}\n" for track in tracks))

    def command(*words):
        return json.dumps({"command": words})

    words = {"pause": command("set_property", "pause", True), "resume": command("set_property", "pause", False),
             "next": command("playlist-next")}
    line = ["mpv", "--no-config", "--no-video", "--ao=pulse", "--really-quiet", "--prefetch-playlist=yes",
            f"--input-ipc-server={address}", f"--playlist={playlist}"]
    return Remoted(Player("mpv", line), address, words)


def _mpd(folder, tracks):
    address, settings = folder / "mpd.socket", folder / "mpd.conf"
    settings.write_text(f'bind_to_address "{address}"\nlog_file "/dev/stderr"\n'
                        'audio_output {\n type "pulse"\n name "bench"\n}\n')
    begin = [f'add "{pathlib.Path(track).as_uri()}"' for track in tracks] + ["play 0"]
    words = {"pause": "pause 1", "resume": "pause 0", "next": "next"}
    return Remoted(Player("mpd", ["mpd", "--no-daemon", settings]), address, words, begin)


def players(folder, prosper, chosen):
    """The players with the names in `chosen`, with tracks that are made in `folder`."""
    tracks = make_tracks(folder)
    makers = {"prosper": lambda: _prosper(folder, prosper, tracks), "mpv": lambda: _mpv(folder, tracks),
              "mpd": lambda: _mpd(folder, tracks)}
    return [make() for name, make in makers.items() if name in chosen]
