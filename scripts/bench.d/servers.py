"""The private sound servers on which scripts/bench live and reaction measure players, and their processes."""

import os
import pathlib
import signal
import subprocess
import sys

import measure
import needs

SINK = "bench"
MONITOR = f"{SINK}.monitor"
PROCESSES = ("pulseaudio", "pipewire", "wireplumber", "pipewire-pulse")
PATIENCE = 15  # Seconds within which a server must exit.
POLICIES = {os.SCHED_FIFO, os.SCHED_RR}


def add_options(parser):
    parser.add_argument("--server", choices=["pulse", "pipewire", "both"], default="both",
                        help="the sound server (both)")
    parser.add_argument("--norewinds", action="store_true",
                        help="PulseAudio's null sink that renders 50 ms at a time and does not rewind")


def kinds(chosen):
    return ["pulse", "pipewire"] if chosen.server == "both" else [chosen.server]


def packages(chosen):
    return [package for kind in kinds(chosen) for package in needs.SOUND_SERVERS[kind]] + ["pulseaudio-utils"]


class Server:
    """A server with one null sink, for use with `with`. Programs that are started within it connect to it."""

    def __init__(self, kind, rate, norewinds=False, more=()):
        self.kind, self.rewinds, self._rate = kind, kind == "pulse" and not norewinds, rate
        self._more = ["--rewinds", *more] if self.rewinds else more
        self._script, self._before = None, {}

    def __enter__(self):
        line = [measure.ROOT / "scripts" / f"{self.kind}-server",
                "--sink", SINK, "--rate", str(self._rate), *self._more]
        self._script = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            self._take_environment()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _take_environment(self):
        """The script prints a line for each variable when the server is ready; PULSE_SERVER is the first."""
        lines = 2 if self.kind == "pipewire" else 1
        for line in (self._script.stdout.readline() for _ in range(lines)):
            if not line:
                raise RuntimeError(f"{self.name} did not start")
            name, value = line.removeprefix("export ").strip().split("=", 1)
            self._before[name] = os.environ.get(name)
            os.environ[name] = value

    def __exit__(self, *_):
        for name, value in self._before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        self._script.terminate()
        self._script.wait(PATIENCE)
        self._script.stdout.close()

    @property
    def name(self):
        return {"pulse": "PulseAudio", "pipewire": "PipeWire"}[self.kind]

    def processes(self):
        """The process IDs of the server, without the message bus."""
        children = pathlib.Path(f"/proc/{self._script.pid}/task/{self._script.pid}/children").read_text().split()
        return [int(pid) for pid in children if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() in PROCESSES]

    def description(self):
        """The server's version, sink and real-time threads, in words."""
        said = subprocess.run(["pactl", "info"], capture_output=True, text=True, check=True).stdout
        told = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
        version = f"PulseAudio {told['Server Version']}" if self.kind == "pulse" else told["Server Name"]
        sink = "a null sink that rewinds" if self.rewinds else "a null sink that does not rewind"
        threads = [int(task.name) for pid in self.processes() for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]
        realtime = sum(os.sched_getscheduler(thread) & ~os.SCHED_RESET_ON_FORK in POLICIES for thread in threads)
        rights = f"{realtime} of {len(threads)} threads are real-time" if realtime else "without real-time threads"
        return f"{version}, {sink} at {self._rate} Hz, {rights}"


def on_each(chosen, rate, run, more={}):
    """Calls `run` with each chosen server; returns 1 if a call failed, otherwise 0. SIGTERM ends what was started.

    `more` has further options of the script that starts the server, for each kind.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    failed = 0
    for kind in kinds(chosen):
        try:
            with Server(kind, rate, chosen.norewinds, more.get(kind, ())) as server:
                print(f"\n{server.description()}", flush=True)
                run(server)
        except RuntimeError as error:
            print(f"bench: {error}", file=sys.stderr)
            failed = 1
    return failed
