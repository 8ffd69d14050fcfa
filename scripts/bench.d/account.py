"""The resources that processes use while they run: CPU time, wake-ups and memory, from /proc."""

import dataclasses
import pathlib
import time


@dataclasses.dataclass
class Use:
    """CPU seconds per minute, wake-ups per second, current and peak resident memory in MB."""
    cpu: float = 0.0
    wakeups: float = 0.0
    memory: float = 0.0
    peak: float = 0.0

    def __add__(self, other):
        return Use(*(getattr(self, field.name) + getattr(other, field.name) for field in dataclasses.fields(Use)))


def over(seconds, *groups):
    """Measures the use of each group of process IDs for some seconds."""
    begun, before = time.monotonic(), [[_taken(pid) for pid in group] for group in groups]
    time.sleep(seconds)
    after, length = [[_taken(pid) for pid in group] for group in groups], time.monotonic() - begun
    uses = []
    for group, earlier, later in zip(groups, before, after):
        use = Use()
        for pid, (cpu, waits), (later_cpu, later_waits) in zip(group, earlier, later):
            use += Use((later_cpu - cpu) / length * 60, (later_waits - waits) / length, *_memory(pid))
        uses.append(use)
    return uses


def _taken(pid):
    """CPU seconds and voluntary waits of all current threads of a process. Each wake-up of a thread ends a wait."""
    nanoseconds = waits = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        nanoseconds += int((task / "schedstat").read_text().split()[0])
        waits += _field(task / "status", "voluntary_ctxt_switches")
    return nanoseconds / 1e9, waits


def _memory(pid):
    status = pathlib.Path(f"/proc/{pid}/status")
    return _field(status, "VmRSS") / 1024, _field(status, "VmHWM") / 1024


def _field(path, name):
    for line in path.read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise ProcessLookupError(f"{path} has no {name}: the process has ended")
