"""Runs a program and measures its resources."""

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
    """The resources of one run: wall and CPU time in seconds, peak memory of the largest process in MB, and context
    switches: voluntary ones, when a thread waited, and the others, when the processor was given to another thread."""
    wall: float
    cpu: float
    memory: float
    waits: float = 0
    preemptions: float = 0


def run(command, folder):
    """Runs `command` in `folder`. The kernel includes the children that it has waited for, such as SoX's pipes.

    The peak memory is at least that of this interpreter (13 MB), which starts the program.
    """
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: {errors.decode(errors='replace')[-600:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, usage.ru_nvcsw,
                usage.ru_nivcsw)


def system_calls(command, folder):
    """How many system calls `command` and its children make, in a run of its own, because strace slows them down; None
    if the command fails under strace.
    """
    counts = pathlib.Path(folder) / "calls.strace"
    traced = subprocess.run(["strace", "-f", "-c", "-o", counts, *command], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if traced.returncode != 0:
        return None
    # The last line is the sum: "100.00 SECONDS MICROSECONDS CALLS ERRORS total".
    return int(counts.read_text().splitlines()[-1].split()[3])


def median(costs):
    """The medians of all figures, independent of each other."""
    return Cost(*(statistics.median(getattr(cost, field.name) for cost in costs)
                  for field in dataclasses.fields(Cost)))


def compile_c(name, *libraries):
    """The program from NAME.c in this folder; compiled again if its source is newer."""
    source, program = HERE / f"{name}.c", ROOT / ".build" / "bench" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["gcc", "-std=gnu11", "-O3", "-Wall", "-Wextra", "-o", program, source,
                        *(f"-l{library}" for library in libraries)], check=True)
    return program


def prosper():
    """The executable to measure: $PROSPER, or a release build as in scripts/start. None if it can't be built."""
    if os.environ.get("PROSPER"):
        return pathlib.Path(os.environ["PROSPER"]).absolute()
    return built("prosper")


def before():
    """The executable of an earlier version, $BEFORE; None if it is not given."""
    return pathlib.Path(os.environ["BEFORE"]).absolute() if os.environ.get("BEFORE") else None


def built(product):
    """An executable of this tree, built by scripts/build."""
    subprocess.run([ROOT / "scripts" / "build", "--product", product], check=True, stdout=subprocess.DEVNULL)
    return ROOT / ".build" / "release" / product


def version(*command):
    """The first line of a program's version."""
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return (said.stdout + said.stderr).strip().splitlines()[0][:60]
