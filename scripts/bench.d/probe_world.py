"""The environment of one probe: a folder, a private sound server that can fail, a recorder, and the processes."""

import array
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import measure
import probe_material
from probe_material import SILENT, WINDOW

SINK = "bench"
PATIENCE = 10  # Time limit in seconds for anything that should be immediate.


class Server:
    """A private sound server that can be killed and replaced by another one."""

    def __init__(self, folder):
        self.home, self.socket = folder / "home", folder / "pulse.socket"
        self.home.mkdir(mode=0o700)
        self._script = None

    def environment(self):
        """A private home and runtime folder, this server, and neither a desktop nor a message bus."""
        desktop = ("XDG_", "DBUS_", "PULSE_")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(desktop)}
        inherited.pop("DISPLAY", None)
        return inherited | {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.home), "TERM": "xterm",
                            "PULSE_SERVER": f"unix:{self.socket}", "SDL_AUDIODRIVER": "pulseaudio"}

    def start(self):
        line = [measure.ROOT / "scripts" / "pulse-server", "--socket", self.socket, "--sink", SINK,
                "--rate", str(probe_material.RATE)]
        self._script = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=self.environment())
        if not self._script.stdout.readline():
            raise RuntimeError("the sound server did not start")

    def kill(self):
        """Like a crash, without a message to its clients."""
        children = pathlib.Path(f"/proc/{self._script.pid}/task/{self._script.pid}/children").read_text().split()
        for child in map(int, children):
            os.kill(child, signal.SIGKILL)
        self._script.wait(PATIENCE)  # It cleans up and exits with its server.
        self.stop()

    def suspend(self, suspended):
        subprocess.run(["pactl", "suspend-sink", SINK, str(int(suspended))], check=True, timeout=PATIENCE,
                       env=self.environment())

    def stop(self):
        if self._script:
            self._script.terminate()
            self._script.wait(PATIENCE)
            self._script.stdout.close()
            self._script = None


class Ear:
    """Records from the sink of the current server. `heard` contains (time, position) of every 10 ms with sound."""

    def __init__(self, server):
        self.heard = []
        self._environment = server.environment()
        self._line = ["parec", "--latency-msec=10", "--device", f"{SINK}.monitor", "--format=s16le",
                      f"--rate={probe_material.RATE}", "--channels=2", "--raw"]
        self._parec, self._open = None, True
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()
        self._ready.wait(PATIENCE)

    def _listen(self):
        while self._open:
            self._parec = subprocess.Popen(self._line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                           env=self._environment)
            while piece := self._parec.stdout.read(WINDOW * 4):
                self._ready.set()
                self._take(time.monotonic(), array.array("h", piece[:len(piece) // 4 * 4]))
            self._parec.stdout.close()
            self._parec.wait()
            time.sleep(0.05)

    def _take(self, now, samples):
        frames = len(samples) // 2 or 1
        left, right = sum(samples[0::2]) / frames, sum(samples[1::2]) / frames
        if SILENT < left:
            self.heard.append((now, probe_material.time_of(left, right)))

    def close(self):
        self._open = False
        while self._thread.is_alive():
            self._parec.terminate()
            self._thread.join(0.1)


class World:
    """For use with `with`, which ends everything that was started within it, and leaves no files."""

    def __init__(self, sounding=True):
        self._sounding = sounding

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="prosper-probe."))
        self.out, self.log = self.folder / "out", self.folder / "log"
        self.out.mkdir()
        self.server, self.ear, self.process = Server(self.folder), None, None
        try:
            if self._sounding:
                self.server.start()
                self.ear = Ear(self.server)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process:
            self.signal(signal.SIGKILL)
            self.process.wait()
        if self.ear:
            self.ear.close()
        self.server.stop()
        shutil.rmtree(self.folder)

    def start(self, line, terminal=False):
        """Starts the player; its output goes to the log."""
        line = list(map(str, line))
        more = {"cwd": self.out, "env": self.server.environment(), "start_new_session": True}
        with open(self.log, "ab") as log:
            if not terminal:
                self.process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **more)
                return
        screen, inside = pty.openpty()
        self.process = subprocess.Popen(line, stdin=inside, stdout=inside, stderr=inside, **more)
        os.close(inside)
        threading.Thread(target=self._watch, args=(screen,)).start()

    def _watch(self, screen):
        process = self.process
        with open(self.log, "ab", buffering=0) as log:
            while process.poll() is None:
                if select.select([screen], [], [], 0.1)[0]:
                    try:
                        log.write(os.read(screen, 1 << 16))
                    except OSError:
                        break
        os.close(screen)

    def tell(self, line):
        """Runs a short command while the player runs; returns its output, or nothing if it hangs."""
        try:
            done = subprocess.run(line, env=self.server.environment(), capture_output=True, text=True, timeout=3, check=False)
            return done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            return ""

    def said(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def signal(self, number):
        """To the player and to everything that it has started, which may outlive it."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def end(self, number):
        """Sends a signal and returns the exit status; None if the player must be killed."""
        self.signal(number)
        status = self.wait(PATIENCE)
        if status is None:
            self.signal(signal.SIGKILL)
            self.process.wait()
        return status

    def wait(self, seconds):
        """The exit status as a shell reports it; None if the player still runs after `seconds`."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        return status if 0 <= status else 128 - status

    def until(self, condition, seconds):
        """Waits until a condition is true or the player has exited; returns the last value of the condition."""
        end = time.monotonic() + seconds
        while not (true := condition()) and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        return true

    def sound_since(self, moment):
        return bool(self.ear.heard) and moment < self.ear.heard[-1][0]
