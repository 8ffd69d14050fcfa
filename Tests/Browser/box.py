"""A player with a page: `prosper serve`, which plays through the sound server of the environment."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SESSIONS = HERE / "sessions"
LOVING, PLAYLIST, MARKUP, OPEN, STEADY = (
    str(SESSIONS / f"{name}.yaml") for name in ("loving-kindness", "playlist", "markup", "open", "steady"))

# A session that tests write, and change while it plays.
TWO_STAGES = """prosper: 1
title: A sit that changes
stages:
  - name: One
    duration: 10m
    tracks: [{ generate: rain }]
  - name: Two
    duration: 10m
"""


class Box:
    def __init__(self, *options, server=None, folders=(SESSIONS,)):
        self.program = os.environ.get("PROSPER", str(ROOT / ".build/debug/prosper"))
        self.folder = tempfile.mkdtemp(prefix="prosper-page-")
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder,
                            "PULSE_SERVER": server or os.environ["PULSE_SERVER"]}
        self.arguments = [*map(str, folders), "--no-mpris", *options]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        """Starts the player, and reads the code that it prints. The links are those of the first start."""
        said = os.path.join(self.folder, "said.txt")
        with open(said, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen(
                [self.program, "serve", "--view", "--listen", f"127.0.0.1:{self.port}", *self.arguments],
                stdout=subprocess.DEVNULL, stderr=file, env=self.environment)
        code = re.compile(r"with the code (\d{3}) (\d{3})")
        self.until(lambda: code.search(pathlib.Path(said).read_text(encoding="utf-8")), 20, "the code of the player")
        self.code = "".join(code.search(pathlib.Path(said).read_text(encoding="utf-8")).groups())
        links = pathlib.Path(self.folder, ".local/state/prosper/page-links").read_text(encoding="utf-8")
        self.token, self.view = links.split()

    def kill(self):
        """The player crashes."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def forget(self):
        """Removes the places of interrupted sessions: a new run keeps an older one for its first minute."""
        for path in pathlib.Path(self.folder, ".local/state/prosper").iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != "page-links":
                path.unlink()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)

    def request(self, path, body=None, token=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Authorization": f"Bearer {token or self.token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def command(self, **command):
        return self.request("/api/command", command)

    def ctl(self, command):
        """A command of another client, which may name any sound."""
        run = subprocess.run([self.program, "ctl", "--json", json.dumps(command)], stdout=subprocess.PIPE, check=False,
                             env=self.environment)
        return json.loads(run.stdout)

    def status(self):
        return self.request("/api/status")["status"]

    def play(self, session=LOVING):
        """Plays a session from its beginning."""
        self.end()
        self.request("/api/play", {"session": session})
        self.until(lambda: self.status()["state"] in ("playing", "crossfading") and self.status().get("session", 9) < 5)

    def end(self):
        try:
            self.command(do="stop")
        except urllib.error.HTTPError as error:
            assert error.code == 409, error  # nothing plays
        self.until(lambda: self.status()["state"] == "idle")

    @staticmethod
    def until(condition, seconds=10, what="the condition"):
        end = time.time() + seconds
        while time.time() < end:
            if condition():
                return
            time.sleep(0.05)
        raise AssertionError(f"{what} did not come true within {seconds} s")


@contextlib.contextmanager
def own_box(sessions):
    """A player of its own, whose list has the given sessions, texts by name."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sessions.items():
            pathlib.Path(folder, f"{name}.yaml").write_text(text, encoding="utf-8")
        box = Box(folders=[folder])
        try:
            yield box
        finally:
            box.stop()
