"""The files of the working tree that git has or would take, and how a finding is told."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files(*patterns):
    """Paths relative to the root, sorted; all of them without a pattern. Patterns are git's ('*' crosses folders)."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted({name for name in names if name and (ROOT / name).is_file()})


def lines(name):
    """The lines of a text file; none where it is not text."""
    try:
        return (ROOT / name).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


def report(findings):
    """Prints each finding, FILE:LINE: what, and ends with 1 where there is one."""
    for finding in findings:
        print(finding, file=sys.stderr)
    sys.exit(1 if findings else 0)
