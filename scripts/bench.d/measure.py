"""Runs a program and tells what it took."""

import dataclasses
import os
import pathlib
import statistics
import subprocess
import time

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent


@dataclasses.dataclass
class Cost:
    """What one run took: wall and CPU in seconds, the largest process's peak memory in MB."""
    wall: float
    cpu: float
    memory: float


def run(command, folder):
    """Runs `command` in `folder`. The kernel adds to its account those of all children it has waited for: SoX's pipes.

    The peak memory is at least this interpreter's own (13 MB), out of which the program is started.
    """
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: {complaint.decode(errors='replace')[-600:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(costs):
    """The medians of wall, CPU and memory, each by itself."""
    return Cost(*(statistics.median(getattr(cost, field.name) for cost in costs)
                  for field in dataclasses.fields(Cost)))


def compile_c(name, *libraries):
    """The program made of NAME.c beside this file; compiled anew when its source is newer."""
    source, program = HERE / f"{name}.c", ROOT / ".build" / "bench" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["gcc", "-std=gnu11", "-O3", "-Wall", "-Wextra", "-o", program, source,
                        *(f"-l{library}" for library in libraries)], check=True)
    return program


def prosper():
    """The program to measure: $PROSPER, or a release build as scripts/start makes it. None where it can't be built."""
    if os.environ.get("PROSPER"):
        return pathlib.Path(os.environ["PROSPER"]).absolute()
    return built("prosper")


def built(product):
    """A program of this tree, as scripts/start would build it."""
    build = ["swift", "build", "--package-path", ROOT, "-c", "release", "--product", product,
             "--static-swift-stdlib", "-Xswiftc", "-use-ld=lld"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    return ROOT / ".build" / "release" / product


def version(*command):
    """The first line a program says of itself."""
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return (said.stdout + said.stderr).strip().splitlines()[0][:60]
