"""The lists of CONTRIBUTING.md, tried by adding an event, an output, a session key and a kind of sound.

Each is declared in a copy of its file. Then the check of the lists must name every file of its list that is still to be
changed, and nothing else; with its name in each of them, it must find nothing.
"""

import re

import recipes
from tree import ROOT, report

NEW = "pebble"
# Where each kind is declared: the file, what comes before the new one, and its declaration.
DECLARATIONS = {
    "Event": ("Sources/Player/PlayerEvent.swift", r"public enum PlayerEvent\b.*\n", f"  case {NEW}\n"),
    "Output": ("Sources/prosper/Playing/OutputChoice.swift", r"enum OutputChoice\b.*\n", f"  case {NEW}\n"),
    "Session key": ("sessions/session.schema.json", r"\"properties\": *{", f"\"{NEW}\": {{}},"),
    "Kind of sound": ("Sources/Sounds/SoundSource.swift", r"public enum Origin\b.*\n", f"    case {NEW}\n"),
}


def members(name):
    """What the check looks for, as it is declared now."""
    return list(recipes.RECIPES[name]())


def named(file):
    """The files whose texts count as that of one entry of a list."""
    return [path for path in recipes.files(*recipes.PLACES) if path == file or path.startswith(file + "/")]


def trial(name):
    """What is wrong with the list of one kind."""
    declaring, before, declaration = DECLARATIONS[name]
    _, listed = recipes.listed(name)
    recipes.CHANGED.clear()
    changed = re.sub(before, lambda match: match[0] + declaration, recipes.text(declaring), count=1)
    recipes.CHANGED[declaring] = changed
    # The files of a listed folder count as the folder.
    folders = {path for path in listed if (ROOT / path).is_dir()}
    expected = {path for path in listed - {declaring} if not path.startswith(tuple(folder + "/" for folder in folders))}
    found = recipes.check(name, members(name))
    asked = {finding.split(":")[0] for finding in found if f"does not name {NEW}," in finding}
    findings = [f"{path}:1: is not asked for a new '{name}'" for path in sorted(expected - asked)]
    findings += [f"{path}:1: is asked for a new '{name}', and is not in its list" for path in sorted(asked - expected)]
    for path in expected:
        first = named(path)[0]
        recipes.CHANGED[first] = recipes.text(first) + f"\ncase .{NEW}: `{NEW}`\n"
    return findings + recipes.check(name, members(name))


if __name__ == "__main__":
    report([finding for name in recipes.RECIPES for finding in trial(name)])
