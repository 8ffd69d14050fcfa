#!/usr/bin/env python3
"""Tests of the page in a real browser, with a real player on a real sound server.

    scripts/browser-tests [NAME...]

PROSPER is another program than the debug build, PROSPER_PICTURES a folder for pictures of the page.
"""

import subprocess
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

import changing
import connection
import endings
import everyone
import instant
import library
import loads
import pairing
import player
import single
import sound
from box import Box
from phone import Phone

# These mostly wait, so they run beside the others, with a player and a browser of their own.
BESIDE = ("offline", "sleep")
MODULES = (pairing, player, changing, connection, instant, sound, loads, library, endings, single, everyone)


def passes(name, test, browser, box):
    """Runs one test and tells how it went."""
    begin = time.time()
    Phone.open = []
    try:
        test(browser, box)
        print(f"ok   {name} ({time.time() - begin:.1f} s)", flush=True)
        return True
    except Exception as error:  # pylint: disable=broad-except
        lines = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        print(f"FAIL {name}, {' '.join(lines)}: {str(error)[:1500]}", flush=True)
        for phone in Phone.open:
            print("    ", phone.faults[:3])
        for context in browser.contexts:
            context.close()
        return False


def run(tests):
    """Runs tests, given by name, and tells how many have passed; returns the names of the failed ones."""
    box = Box()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            failed = [name for name, test in tests.items() if not passes(name, test, browser, box)]
            browser.close()
    finally:
        box.stop()
    print(f"{len(tests) - len(failed)} of {len(tests)} passed" + (f"; failed: {' '.join(failed)}" if failed else ""))
    return failed


def main():
    tests = {name[5:]: test for module in MODULES for name, test in vars(module).items() if name.startswith("test_")}
    wanted = sys.argv[1:] or list(tests)
    unknown = [name for name in wanted if name not in tests]
    if unknown:
        sys.exit(f"browser-tests: there is no test '{unknown[0]}'; the tests are {', '.join(tests)}")
    beside = [] if set(wanted) <= set(BESIDE) else [name for name in wanted if name in BESIDE]
    other = subprocess.Popen([sys.executable, __file__, *beside]) if beside else None
    failed = run({name: tests[name] for name in wanted if name not in beside})
    sys.exit(1 if failed or (other and other.wait() != 0) else 0)


if __name__ == "__main__":
    main()
