"""Compares every import of Sources with layers.txt."""

import re

from tree import ROOT, files, lines, report

TABLE = "scripts/check.d/layers.txt"
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|actor|func|var|let|typealias)\s+)?(\w+)"
)


def table():
    """The modules that each target may import, and errors in the table itself."""
    rows, problems = {}, []
    text = lines(TABLE)
    targets = {line.split(":")[0] for line in text if ":" in line and not line.startswith("#")}
    for number, line in enumerate(text, 1):
        if not line or line.startswith("#"):
            continue
        target, _, modules = line.partition(":")
        for module in modules.split():
            if module in targets and module not in rows:
                problems.append(f"{TABLE}:{number}: {target} names {module}, which is not above it")
        rows[target] = set(modules.split())
    return rows, problems


def check():
    rows, findings = table()
    for folder in sorted(path.name for path in (ROOT / "Sources").iterdir() if path.is_dir()):
        if folder not in rows:
            findings.append(f"Sources/{folder}:1: this target has no row in {TABLE}; add one")
    for name in files("Sources/*.swift"):
        target = name.split("/")[1]
        for number, line in enumerate(lines(name), 1):
            match = IMPORT.match(line)
            if match and match[1] not in rows.get(target, set()):
                findings.append(f"{name}:{number}: {target} may not import {match[1]} ({TABLE})")
    return findings


report(check())
