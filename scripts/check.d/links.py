"""Every relative link and picture in the Markdown files leads to a file, and every `#heading` to a heading."""

import re
from posixpath import dirname, normpath
from urllib.parse import unquote

from tree import ROOT, files, lines, report

# The end of a link or picture, or the definition of a reference.
LINK = re.compile(
    r"\]\(\s*<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^ {0,3}\[[^\]\n]+\]:\s+<?([^\s>]+)", re.MULTILINE)
ADDRESS = re.compile(r"^([a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
CODE = re.compile(r"(`+)(?:(?!\1|\n\s*\n).)+?\1(?!`)", re.DOTALL)
FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def prose(name):
    """The lines of a Markdown file; those of code blocks are empty."""
    fence, text = None, []
    for line in lines(name):
        mark = FENCE.match(line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
        text.append("" if mark or fence else line)
    return text


def anchors(name):
    """The anchors that Markdown viewers give the headings of a file."""
    found = set()
    for line in prose(name):
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


def links(name):
    """Every link of a file, with its line."""
    text = CODE.sub(lambda code: "\n" * code[0].count("\n"), "\n".join(prose(name)))
    for link in LINK.finditer(text):
        yield text.count("\n", 0, link.end()) + 1, link[1] or link[2]


def check():
    findings = []
    for name in files("*.md"):
        for number, target in links(name):
            wrong = None if ADDRESS.match(target) else problem(name, target)
            if wrong:
                findings.append(f"{name}:{number}: {wrong}")
    return findings


if __name__ == "__main__":
    report(check())
