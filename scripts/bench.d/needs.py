"""The Debian packages that a subcommand of scripts/bench needs; it does not start while one of them is missing."""

import os
import shutil
import subprocess
import sys

import measure

MISSING = 69  # The exit status.
SOUND_SERVERS = {"pulse": ["pulseaudio"], "pipewire": ["dbus-daemon", "pipewire", "pipewire-pulse", "wireplumber"]}
# The program of a package that has another name than the package.
PROGRAMS = {"pulseaudio-utils": "pactl"}


def prosper():
    """What a build of prosper takes; nothing where $PROSPER names a program."""
    return [] if os.environ.get("PROSPER") else build()


def build():
    """What a build of this tree takes."""
    listed = subprocess.run([measure.ROOT / "scripts" / "packages", "--list", "build"], capture_output=True, text=True,
                            check=True)
    return listed.stdout.split()


def compiled(*libraries):
    """What measure.compile_c takes."""
    return ["gcc", "libc6-dev", *libraries]


def _installed(package):
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], capture_output=True, text=True,
                           check=False)
    return asked.stdout == "installed"


def missing(packages):
    """Those that are not here, once each. A program counts wherever it comes from; the rest only dpkg knows."""
    absent = [package for package in dict.fromkeys(packages) if not shutil.which(PROGRAMS.get(package, package))]
    return [package for package in absent if not _installed(package)] if shutil.which("dpkg-query") else absent


def check(*packages):
    """Exits with one line on stderr when a package is missing."""
    if absent := missing(packages):
        print(f"bench: missing Debian packages: {' '.join(absent)}; "
              "install them with: scripts/packages build test bench", file=sys.stderr)
        sys.exit(MISSING)
