"""The Debian packages that a subcommand of scripts/bench needs; it does not start if one of them is missing."""

import os
import shutil
import subprocess
import sys

import measure

MISSING = 69  # The exit status.
SOUND_SERVERS = {"pulse": ["pulseaudio"], "pipewire": ["dbus-daemon", "pipewire", "pipewire-pulse", "wireplumber"]}
# The program of a package whose name differs from the package's.
PROGRAMS = {"pulseaudio-utils": "pactl"}


def prosper():
    """The packages for a build of prosper; none if $PROSPER names an executable."""
    return [] if os.environ.get("PROSPER") else build()


def build():
    """The packages for a build of this tree."""
    listed = subprocess.run([measure.ROOT / "scripts" / "packages", "--list", "build"], capture_output=True, text=True,
                            check=True)
    return listed.stdout.split()


def compiled(*libraries):
    """The packages for measure.compile_c."""
    return ["gcc", "libc6-dev", *libraries]


def _installed(package):
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], capture_output=True, text=True,
                           check=False)
    return asked.stdout == "installed"


def missing(packages):
    """The missing packages, each once. A program may come from anywhere; for the others dpkg is asked."""
    absent = [package for package in dict.fromkeys(packages) if not shutil.which(PROGRAMS.get(package, package))]
    return [package for package in absent if not _installed(package)] if shutil.which("dpkg-query") else absent


def check(*packages):
    """Exits with one line on stderr if a package is missing."""
    if absent := missing(packages):
        print(f"bench: missing Debian packages: {' '.join(absent)}; "
              "install them with: scripts/packages build test bench", file=sys.stderr)
        sys.exit(MISSING)
