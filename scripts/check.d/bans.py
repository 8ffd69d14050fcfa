"""Constructs that are not allowed in the code. Most rules ignore comments and string literals."""

import re

from tree import files, lines, report

UNCHECKED_ALLOWED = ("Sources/Rings/", "Sources/PulseAudio/")

CODE = [  # pattern, why; force unwraps are found by swift format's NeverForceUnwrap
    (r"\btry!", "throw or handle the error"),
    (r"\bas!", "use 'as?' and handle the other case"),
    (r"\bfatalError\(", "report external faults as errors, and defects by a preconditionFailure that names them"),
    (r"\bTask\.sleep\b", "give the command its time instead of waiting; if waiting is unavoidable, use a Clock"),
    (r"(?<![\w.])(Thread\.|Glibc\.)?(usleep|nanosleep|sleep)\(", "give the command its time instead of waiting"),
    (r"\bThread\.sleep\b", "give the command its time instead of waiting"),
    (r"\.disabled\(", "fix the test or remove it"),
    (r"\bwithKnownIssue\b", "fix the issue"),
    (r"\bXCTSkip", "a test that is skipped proves nothing"),
]
WALL_CLOCK = re.compile(
    r"\bDate\(\)|\bDate\.now\b|\bCLOCK_REALTIME|\bgettimeofday\b|\bDispatchWallTime\b|\bwallDeadline\b"
    r"|\b(?:Glibc\.)?time\((?:nil|NULL|&\w+)\)|\bCFAbsoluteTime|\bpa_gettimeofday\b")
WALL_CLOCK_ALLOWED = {  # Times for people or for other runs; nothing waits for them.
    "Sources/Player/WallTime.swift": "the time of day in events",
    "Sources/prosper/Terminal/LineHandler.swift": "times of log lines",
    "Sources/prosper/Timers/CalendarTimes.swift": "when a scheduled session plays; systemd does the waiting",
    "Sources/prosper/Metrics/SavedMetrics.swift": "when the metrics were saved, for the report",
    "Sources/SavedState/PositionSaver.swift": "which of several sessions was interrupted last",
    "Sources/AudioFiles/Lengths/SoundCache.swift": "whether a file was changed too recently; files have this clock's times",
    "Sources/AudioFiles/Downloads/RemoteCache.swift": "when a sound was downloaded, for the next run",
}
SLEEP_CLOCK = re.compile(r"\bContinuousClock\b|\bCLOCK_BOOTTIME\b")
SLEEP_CLOCK_ALLOWED = {"Sources/Player/Playback/RunClock.swift": "how old a paused crossfade is"}
MARK = re.compile(r"\b(TO" + r"DO|FIX" + r"ME)\b")
UNCHECKED = re.compile(r"@unchecked\s+Sendable")
MACHINE_PATH = re.compile(r"(?<![\w.~}])/(home|root|Users|mnt|workspace|work)/\w")
NOISE = re.compile(r'"(?:\\.|[^"\\])*"|//.*$')


def in_code(name, number, line):
    code = NOISE.sub('""', line)
    found = [f"{name}:{number}: {re.search(p, code)[0].strip()}: {why}" for p, why in CODE if re.search(p, code)]
    if UNCHECKED.search(code) and not name.startswith(UNCHECKED_ALLOWED):
        found.append(f"{name}:{number}: @unchecked Sendable: only the rings and the C bindings may use it")
    return found


def of_clocks(name, number, line):
    """A session uses frames, and a clock that nobody can set and that stops while the computer sleeps."""
    code, found = NOISE.sub('""', line), []
    if WALL_CLOCK.search(code) and name not in WALL_CLOCK_ALLOWED:
        found.append(f"{name}:{number}: {WALL_CLOCK.search(code)[0]}: that clock can be set; use SuspendingClock")
    if SLEEP_CLOCK.search(code) and name not in SLEEP_CLOCK_ALLOWED:
        found.append(f"{name}:{number}: {SLEEP_CLOCK.search(code)[0]}: it includes suspend; use SuspendingClock")
    return found


def in_text(name, number, line):
    found = []
    if MARK.search(line):
        found.append(f"{name}:{number}: {MARK.search(line)[0]}: do it, or open an issue")
    if MACHINE_PATH.search(line):
        found.append(f"{name}:{number}: a path that exists on one machine only: {MACHINE_PATH.search(line)[0]}...")
    return found


def check():
    findings = []
    for name in files():
        for number, line in enumerate(lines(name), 1):
            findings += in_text(name, number, line)
            if name.endswith(".swift"):
                findings += in_code(name, number, line)
                if name.startswith("Sources/"):
                    findings += of_clocks(name, number, line)
    return findings


report(check())
