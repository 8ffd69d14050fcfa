"""The parser of the command lines of scripts/bench."""

import argparse
import sys

USAGE = 64  # The exit status, as of the other scripts.


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")
