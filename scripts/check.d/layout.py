"""The top level has exactly the documented entries, scripts are executable and parse, and no file is large."""

import os
import subprocess

from tree import ROOT, files, lines, report

TOP = {"Package.swift", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md",
       "Sources", "Tests", "sessions", "scripts"}
AUDIO = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".aiff", ".aif", ".caf", ".m4a", ".aac")
AUDIO_LIMIT, LIMIT = 300_000, 1_000_000


def of_top(names):
    there = {name.split("/")[0] for name in names}
    there = {name for name in there if not name.startswith(".")}
    return ([f"{name}:1: not allowed at the top level, which CONTRIBUTING.md describes" for name in sorted(there - TOP)]
            + [f"{name}:1: missing at the top level" for name in sorted(TOP - there)])


def of_file(name):
    path = ROOT / name
    size, executable = path.stat().st_size, os.access(path, os.X_OK)
    limit = AUDIO_LIMIT if name.lower().endswith(AUDIO) else LIMIT
    script = (lines(name) or [""])[0].startswith("#!")
    found = []
    if size > limit:
        found.append(f"{name}:1: {size} bytes; the limit is {limit} (generate or download sounds instead)")
    if script and not executable:
        found.append(f"{name}:1: has a #! line but is not executable: chmod +x")
    if executable and not script:
        found.append(f"{name}:1: is executable but has no #! line")
    if script and "bash" in lines(name)[0]:
        parsed = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True)
        found += [f"{name}: {line}" for line in parsed.stderr.splitlines()]
    return found


def check():
    names = files()
    return of_top(names) + [finding for name in names for finding in of_file(name)]


report(check())
