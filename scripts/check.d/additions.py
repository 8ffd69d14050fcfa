"""Tries the lists of CONTRIBUTING.md by adding an event, an output, a session key and a kind of sound.

Each is declared in a copy of its file. Then the check of the lists must ask for it in every other file of its list, and
nowhere else. Once each of them names it, the check must find nothing.
"""

import re

import recipes
from tree import report

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


def first_file(entry):
    """The file that an entry of a list names, or the first one of the folder."""
    return next(path for path in recipes.files(*recipes.PLACES) if path == entry or path.startswith(entry + "/"))


def trial(name):
    """What is wrong with the list of one kind."""
    declaring, before, declaration = DECLARATIONS[name]
    _, listed = recipes.listed(name)
    recipes.CHANGED.clear()
    recipes.CHANGED[declaring] = re.sub(
        before, lambda match: match[0] + declaration, recipes.text(declaring), count=1)
    expected = listed - {declaring}
    found = recipes.check(name, members(name))
    asked = {finding.split(":")[0] for finding in found if f"does not name {NEW}," in finding}
    findings = [f"{path}:1: is not asked for a new '{name}'" for path in sorted(expected - asked)]
    findings += [f"{path}:1: is asked for a new '{name}', and is not in its list" for path in sorted(asked - expected)]
    for path in expected:
        file = first_file(path)
        recipes.CHANGED[file] = recipes.text(file) + f"\ncase .{NEW}: `{NEW}`\n"
    return findings + recipes.check(name, members(name))


if __name__ == "__main__":
    report([finding for name in recipes.RECIPES for finding in trial(name)])
