"""Every source file, and every member of a type (as in `Mixer.render`), that the Markdown files name exists."""

import re

from links import prose
from tree import files, lines, report

CODE = re.compile(r"`([^`]+)`")
FILE = re.compile(r"^(?:[\w.-]+/)*\w[\w+.-]*\.swift$")
MEMBER = re.compile(r"^([A-Z]\w*)\.([a-z]\w*)(?:\(.*\))?$")
WORD = re.compile(r"^[a-z]\w*$")
TYPE = re.compile(r"\b(?:struct|class|enum|actor|protocol|extension) (\w+(?:\.\w+)*)")
NAME = re.compile(r"\b(?:func|var|let|case|init)\b")


def sources():
    """The names of all Swift files, and the members that the files of each type declare."""
    names, members = [], {}
    for name in files("Sources/*.swift", "Tests/*.swift", "Package.swift"):
        names.append("/" + name)
        text = lines(name)
        # A file declares the members of all types that it declares or extends.
        types = {part for line in text for found in TYPE.findall(line) for part in found.split(".")}
        words = {word for line in text if NAME.search(line) for word in re.findall(r"\w+", line)}
        for kind in types:
            members.setdefault(kind, set()).update(words)
    return names, members


def missing(cell, names, members):
    """The codes of a line, or of a cell of a table, that do not exist. A word after `Type.member` is a member, too."""
    kind = None
    for code in CODE.findall(cell):
        member = MEMBER.match(code)
        if FILE.match(code):
            if not any(path.endswith("/" + code) for path in names):
                yield code
        elif member:
            kind = member[1]
            if member[2] not in members.get(kind, ()):
                yield code
        elif kind and cell.count("`, `") and WORD.match(code) and code not in members.get(kind, ()):
            yield f"{kind}.{code}"


def check():
    names, members = sources()
    findings = []
    for name in files("*.md"):
        for number, line in enumerate(prose(name), 1):
            for cell in line.split("|") if line.startswith("|") else [line]:
                findings += [f"{name}:{number}: there is no '{code}'" for code in missing(cell, names, members)]
    return findings


if __name__ == "__main__":
    report(check())
