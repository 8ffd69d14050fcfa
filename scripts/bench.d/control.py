"""scripts/bench control: the cost of commands, states and events, in nanoseconds and relative to empty calls."""

import os
import subprocess

import measure
import needs
import options


def main(given):
    parser = options.Parser(prog="scripts/bench control", description=__doc__.split(": ", 1)[1])
    parser.parse_args(given)
    needs.check(*needs.build())
    # Package.swift has the program only for those who ask for it.
    os.environ["PROSPER_BENCH"] = "1"
    program = measure.built("ControlBench")
    status = subprocess.run([program], check=False).returncode
    print("load averages of 1, 5 and 15 minutes:", *(f"{load:.1f}" for load in os.getloadavg()))
    return status
