"""Every relative link and picture in the Markdown files leads to a file of the tree, and every `#heading` to a heading."""

import re
from posixpath import dirname, normpath
from urllib.parse import unquote

from tree import ROOT, files, lines, report

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)")
ADDRESS = re.compile(r"^([a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
CODE = re.compile(r"(`+)(?:(?!\1).)+?\1(?!`)")
FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def prose(name):
    """The lines of a Markdown file with their numbers, without code blocks."""
    fence = None
    for number, line in enumerate(lines(name), 1):
        mark = FENCE.match(line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
        elif not fence:
            yield number, line


def anchors(name):
    """The anchors that Markdown viewers give the headings of a file."""
    found = set()
    for _, line in prose(name):
        heading = HEADING.match(line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "").lower()
            anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            # Repeated headings get a number.
            number = next(n for n in range(len(found) + 1) if (anchor if n == 0 else f"{anchor}-{n}") not in found)
            found.add(anchor if number == 0 else f"{anchor}-{number}")
    return found


def problem(name, target):
    """What is wrong with a link of a file; None if nothing is."""
    path, _, anchor = target.partition("#")
    path = normpath(f"{dirname(name)}/{unquote(path)}".lstrip("/")) if path else name
    if path.startswith("..") or not (ROOT / path).exists():
        return f"'{target}' leads to no file"
    if anchor and path.endswith(".md") and unquote(anchor).lower() not in anchors(path):
        return f"'{target}': {path} has no heading '#{anchor}'"
    return None


def check():
    findings = []
    for name in files("*.md"):
        for number, line in prose(name):
            text = CODE.sub("", line)
            for target in LINK.findall(text) + REFERENCE.findall(text):
                wrong = None if ADDRESS.match(target) else problem(name, target)
                if wrong:
                    findings.append(f"{name}:{number}: {wrong}")
    return findings


report(check())
