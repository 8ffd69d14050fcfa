"""The steps of CONTRIBUTING.md that list files ("in each file that names all ...") list exactly the files that do.

A file that names every event has to name the next one, too. So for each kind of thing that can be added, the existing
ones are the examples: the files that name all of them are compared with the list. A file that names most of them has
forgotten some.
"""

import json
import re

from tree import ROOT, files, lines, report

# Texts that replace those of files, to try what the check finds in them: see additions.py.
CHANGED = {}

GUIDE = "CONTRIBUTING.md"
CODE = re.compile(r"[`(]((?:[\w.+-]+/)*[\w.+-]+\.(?:swift|md|json)|(?:[\w.+-]+/)+[\w.+-]+)[`)]")


def cases(path, declaration):
    """The cases of the enum that begins with `declaration`."""
    code = text(path)
    start = code.index(declaration)
    indent = " " * (start - code.rindex("\n", 0, start) - 1)
    body = code[start : code.index(f"\n{indent}}}\n", start)]
    return re.findall(rf"^{indent}  (?:indirect )?case (\w+)", body, re.MULTILINE)


def used(case):
    """How Swift code names a case: in its declaration, a switch or a value."""
    return rf"(?<![\w)\]]|\")\.{case}\b|\bcase {case}\b"


def events():
    """Each event: its case, or the name in JSON that belongs to it, in code or in an article's table."""
    names = dict(re.findall(r"(?:case|,) (\w+) = \"([a-z]+\.[a-z]+)\"", text("Sources/Player/StampedEvent+JSON.swift")))
    for case in cases("Sources/Player/PlayerEvent.swift", "public enum PlayerEvent"):
        # The events of an output that follows have the names of those of an output, and a member of their own.
        word = "follows" if case == "follower" else names.get(case, case)
        # The article writes `overlay.started`, `.paused`.
        first, last = re.escape(word.split(".")[0]), re.escape(word.split(".")[-1])
        yield case, rf"{used(case)}|[`\"]{re.escape(word)}\b|^\| `{first}\.[^|]*`\.{last}`"


def outputs():
    """Each output that `--output` knows, by its case and its argument. A file has no word of its own."""
    words = {"pulse": "pulse", "standardOutput": "-", "pipe": "pipe:", "null": "null"}
    words |= {"snapcast": "snapcast://", "icecast": "icecast://"}
    for case in cases("Sources/prosper/Playing/OutputChoice.swift", "enum OutputChoice"):
        if case != "file":
            yield case, rf"{used(case)}|[`\"]{re.escape(words[case])}" if case in words else used(case)


def keys():
    """Each key of a session file: quoted, as code, or in an article as a member of code in braces."""
    found = set()

    def visit(value):
        if isinstance(value, dict):
            found.update(value.get("properties", {}))
        for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            visit(child)

    visit(json.loads(text("sessions/session.schema.json")))
    # Parameters are filled in and includes are replaced before the keys of a session are read.
    for key in sorted(found - {"$schema", "parameters", "default", "values", "include", "set"}):
        yield key, rf"[\"`]{key}[\"`]|`\{{[^`]*\b{key}\b"


def origins():
    """Each kind of sound."""
    for case in cases("Sources/Sounds/SoundSource.swift", "public enum Origin"):
        yield case, rf"\bcase \.{case}\b|\bcase {case}\b|return \.{case}\("


RECIPES = {"Event": events, "Output": outputs, "Session key": keys, "Kind of sound": origins}
# Outside Sources, these are the places where something is added.
PLACES = ["Sources/*", "sessions/session.schema.json", "Tests/SessionsTests/Examples/good/everything.json"]


def text(name):
    return CHANGED.get(name) or "\n".join(lines(name))


def listed(name):
    """The line and the paths of the step of a recipe that lists all files. A folder counts as one file, and those of
    its files that the step names don't count."""
    guide = lines(GUIDE)
    first = guide.index(f"**{name}**")
    step, number = "", 0
    for index, line in enumerate(guide[first + 1 :], first + 2):
        if re.match(r"\*\*|#|\d\. ", line):
            if "each file that names all" in step or line.startswith(("**", "#")):
                break
            step, number = "", index
        step += " " + line.strip()
    if "each file that names all" not in step:
        return first + 1, None
    paths = {path(code) for code in CODE.findall(step)}
    folders = tuple(name + "/" for name in paths if (ROOT / name).is_dir())
    return number, {name for name in paths if not name.startswith(folders)}


def path(code):
    """The path that a code of the guide names; itself if there is no such path, or more than one."""
    found = [name for name in files() if name == code or name.endswith("/" + code)]
    return found[0] if len(found) == 1 else code


def check(name, members):
    number, wanted = listed(name)
    if wanted is None:
        return [f"{GUIDE}:{number}: '{name}' has no step with the files that name all of them"]
    folders = {code for code in wanted if (ROOT / code).is_dir()}
    texts = {folder: "" for folder in folders}
    for file in files(*PLACES):
        folder = next((folder for folder in folders if file.startswith(folder + "/")), file)
        texts[folder] = texts.get(folder, "") + text(file) + "\n"
    findings = []
    for file, content in texts.items():
        missing = []
        for word, pattern in members:
            if not re.search(pattern, content, re.MULTILINE):
                missing.append(word)
            # A file that is not listed and misses this many names only some of them.
            if len(members) / 8 < len(missing) and file not in wanted:
                break
        if not missing and file not in wanted:
            findings.append(f"{GUIDE}:{number}: '{name}' does not list {file}, which names all of them")
        elif missing and (file in wanted or len(missing) <= len(members) / 8):
            findings.append(f"{file}:1: does not name {', '.join(missing)}, unlike the list in {GUIDE}:{number}")
    return findings + [f"{GUIDE}:{number}: there is no {file}" for file in sorted(wanted - texts.keys())]


if __name__ == "__main__":
    report([finding for name, members in RECIPES.items() for finding in check(name, list(members()))])
