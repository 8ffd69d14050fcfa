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
    return findings


report(check())
