"""What must not stand in the code. Comments and string literals are left out, but where a rule is about them."""

import re

from tree import files, lines, report

UNCHECKED_ALLOWED = ("Sources/Rings/", "Sources/AudioFiles/", "Sources/PulseAudio/")

CODE = [  # pattern, why; force unwraps are found by swift format's NeverForceUnwrap
    (r"\btry!", "throw or handle the error"),
    (r"\bas!", "use 'as?' and handle the other case"),
    (r"\bfatalError\(", "the world's faults are errors; a defect is a preconditionFailure that names it"),
    (r"\bTask\.sleep\b", "say when, do not wait; where the world demands waiting, take a Clock"),
    (r"(?<![\w.])(Thread\.|Glibc\.)?(usleep|nanosleep|sleep)\(", "say when, do not wait"),
    (r"\bThread\.sleep\b", "say when, do not wait"),
    (r"\.disabled\(", "mend the test or remove it"),
    (r"\bwithKnownIssue\b", "mend the issue"),
    (r"\bXCTSkip", "a test that does not run proves nothing"),
]
WALL_CLOCK = re.compile(
    r"\bDate\(\)|\bDate\.now\b|\bCLOCK_REALTIME|\bgettimeofday\b|\bDispatchWallTime\b|\bwallDeadline\b"
    r"|\b(?:Glibc\.)?time\((?:nil|NULL|&\w+)\)|\bCFAbsoluteTime|\bpa_gettimeofday\b")
WALL_CLOCK_ALLOWED = {  # what tells people, or other runs, when something was; nothing waits for it
    "Sources/prosper/LineHandler.swift": "the times of log lines",
    "Sources/Remote/SavedMetrics.swift": "when the figures were saved, for the report",
    "Sources/Remote/PlaceKeeper.swift": "which of several sessions was left last",
    "Sources/AudioFiles/Remote/RemoteCache.swift": "when a sound was fetched, for its next run",
}
SLEEP_CLOCK = re.compile(r"\bContinuousClock\b|\bCLOCK_BOOTTIME\b")
SLEEP_CLOCK_ALLOWED = {"Sources/Player/Control/RunClock.swift": "how old a paused crossfade is"}
MARK = re.compile(r"\b(TO" + r"DO|FIX" + r"ME)\b")
UNCHECKED = re.compile(r"@unchecked\s+Sendable")
MACHINE_PATH = re.compile(r"(?<![\w.~}])/(home|root|Users|mnt|workspace|work)/\w")
NOISE = re.compile(r'"(?:\\.|[^"\\])*"|//.*$')


def in_code(name, number, line):
    code = NOISE.sub('""', line)
    found = [f"{name}:{number}: {re.search(p, code)[0].strip()}: {why}" for p, why in CODE if re.search(p, code)]
    if UNCHECKED.search(code) and not name.startswith(UNCHECKED_ALLOWED):
        found.append(f"{name}:{number}: @unchecked Sendable: only the rings and the C bindings may vouch for themselves")
    return found


def of_clocks(name, number, line):
    """A session goes by frames and by the clock that nobody sets and that stands still while the computer sleeps."""
    code, found = NOISE.sub('""', line), []
    if WALL_CLOCK.search(code) and name not in WALL_CLOCK_ALLOWED:
        found.append(f"{name}:{number}: {WALL_CLOCK.search(code)[0]}: anybody may set that clock; take SuspendingClock")
    if SLEEP_CLOCK.search(code) and name not in SLEEP_CLOCK_ALLOWED:
        found.append(f"{name}:{number}: {SLEEP_CLOCK.search(code)[0]}: it counts sleep, too; take SuspendingClock")
    return found


def in_text(name, number, line):
    found = []
    if MARK.search(line):
        found.append(f"{name}:{number}: {MARK.search(line)[0]}: do it, or open an issue")
    if MACHINE_PATH.search(line):
        found.append(f"{name}:{number}: a path of one machine: {MACHINE_PATH.search(line)[0]}...")
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
