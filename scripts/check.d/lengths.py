"""No file has more than 400 lines, or more than 300 without a reason, and no function more than 40."""

import re

from tree import files, lines, report

FILE_LIMIT, EXPLAIN_FROM, FUNCTION_LIMIT = 400, 300, 40
EXPLANATION = re.compile(r"^(//|#|\"\"\").*\bOver 300 lines\b")
TRAILING = re.compile(r"\s*//.*$")
OPENS = re.compile(r"^(\s*).*?(\bfunc\b|(?<!\.)\binit\b[?(<]|\bdeinit\b|\bsubscript\b|\bvar \w+: .*\{$)")


def of_file(name, text):
    if len(text) > FILE_LIMIT:
        return [f"{name}:{FILE_LIMIT}: {len(text)} lines; split it ({FILE_LIMIT} is the limit)"]
    if len(text) > EXPLAIN_FROM and not any(EXPLANATION.match(line) for line in text[:5]):
        return [f"{name}:1: {len(text)} lines; split it, or give the reason here: '// Over 300 lines: ...'"]
    return []


def body(text, first):
    """First and last line of the body of the function at line `first`, by indentation; None if it has no such body."""
    indent = re.match(r"\s*", text[first])[0]
    begin = first
    while begin < len(text) and not text[begin].rstrip().endswith("{"):
        begin += 1
        # A signature continues in deeper lines, or in one that closes its parentheses.
        continues = begin < len(text) and (
            text[begin].startswith(indent + " ") or text[begin].startswith((indent + ")", indent + "{")))
        if not continues:
            return None
    for end in range(begin + 1, len(text)):
        if text[end].startswith(indent + "}"):
            return begin, end
    return None


def of_functions(name, text):
    findings = []
    for first, line in enumerate(text):
        place = body(text, first) if OPENS.match(line) else None
        if place and place[1] - place[0] - 1 > FUNCTION_LIMIT:
            length = place[1] - place[0] - 1
            findings.append(f"{name}:{first + 1}: a function of {length} lines ({FUNCTION_LIMIT} is the limit)")
    return findings


def check():
    findings = []
    for name in files("Sources/*", "Tests/*", "scripts/*"):
        text = lines(name)
        findings += of_file(name, text) if not name.endswith((".json", ".txt", ".jsonl")) else []
        findings += of_functions(name, [TRAILING.sub("", line) for line in text]) if name.endswith(".swift") else []
    return findings


report(check())
