"""No function has more than 40 lines. Files of more than 300 are reported, not refused: to split one responsibility is
worse than a long file."""

import re
import sys

from tree import files, lines, report

LONG_FILE, FUNCTION_LIMIT = 300, 40
TRAILING = re.compile(r"\s*//.*$")
OPENS = re.compile(r"^(\s*).*?(\bfunc\b|(?<!\.)\binit\b[?(<]|\bdeinit\b|\bsubscript\b|\bvar \w+: .*\{$)")


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
        if len(text) > LONG_FILE and not name.endswith((".json", ".txt", ".jsonl")):
            print(f"{name}: {len(text)} lines; has it more than one responsibility?", file=sys.stderr)
        findings += of_functions(name, [TRAILING.sub("", line) for line in text]) if name.endswith(".swift") else []
    return findings


report(check())
