"""Every public declaration that is part of ProsperKit has a documentation comment, including enum cases and protocol
requirements. The targets below ProsperKit declare as public what it exports; Rings and most of Signal are public only
for the optimiser."""

import re

from tree import files, lines, report

PUBLIC = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))? )*public (?!import\b|extension\b)")
BLOCK = re.compile(r"^(\s*)(?:@\w+ )*public (?:indirect )?(enum|protocol) ")
MEMBER = {"enum": re.compile(r"^case \w"), "protocol": re.compile(r"^(?:var|func|init|static|associatedtype)\b")}
UNEXPORTED = ("Sources/Rings/", "Sources/Signal/")
# What `Exports.swift` names of Signal.
EXPORTED = [f"Sources/Signal/{name}.swift" for name in ("FadeCurve", "FrameTime", "Gain", "SampleEncoding")]
# An attribute on a line of its own, and a comment with two slashes, may stand in between.
BETWEEN = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?$|//(?!/))")


def is_documented(text, number):
    above = number - 1
    while 0 <= above and BETWEEN.match(text[above]):
        above -= 1
    return 0 <= above and text[above].lstrip().startswith("///")


def of_file(name):
    found, text = [], lines(name)
    blocks = []  # indentation and kind of each enum and protocol around a line
    for number, line in enumerate(text):
        block = BLOCK.match(line)
        if blocks and line == blocks[-1][0] + "}":
            blocks.pop()
        indent, kind = blocks[-1] if blocks else ("", None)
        member = kind and line.startswith(indent + "  ") and MEMBER[kind].match(line[len(indent) + 2:])
        if block:
            blocks.append((block[1], block[2]))
        if (PUBLIC.match(line) or member) and not is_documented(text, number):
            found.append(f"{name}:{number + 1}: {line.strip()}: say what it is, with units, ranges, threads and errors")
    return found


def check():
    names = [name for name in files("Sources/*.swift") if not name.startswith(UNEXPORTED)]
    return [finding for name in names + EXPORTED for finding in of_file(name)]


report(check())
