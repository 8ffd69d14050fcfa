"""The files of the working tree that git tracks or would add, and the report of findings."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files(*patterns):
    """Sorted paths relative to the root; all paths if there is no pattern. Patterns are git's: '*' also matches '/'."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted({name for name in names if name and (ROOT / name).is_file()})


def lines(name):
    """The lines of a text file; an empty list if the file is not text."""
    try:
        return (ROOT / name).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


def report(findings):
    """Prints each finding as FILE:LINE: what; exits with 1 if there is one."""
    for finding in findings:
        print(finding, file=sys.stderr)
    sys.exit(1 if findings else 0)
