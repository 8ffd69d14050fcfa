"""Makes the man pages of the commands from the help that the program prints about itself."""

import re
import subprocess

from mdoc import Page, escaped, filled, literal, tagged

EXIT = re.compile(r"^Exit codes: (.*)$", re.DOTALL)
CODES = re.compile(r"^(\d+(?:(?:, | and )\d+)*) (.*)$", re.DOTALL)


def page(program, command, names, version, seconds, places=()):
    """The page of one command; `names` are the words that call it, `places` sections with files and variables."""
    summary = command["abstract"].rstrip(".")
    made = Page("-".join(names), 1, version, seconds, summary[0].lower() + summary[1:])
    arguments = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    made.heading("Synopsis")
    made.lines += synopsis(names, command, arguments)
    made.heading("Description")
    blocks, codes = discussion(command)
    made.blocks(*blocks or [filled(escaped(summary + "."))])
    subcommands = shown(command)
    if subcommands:
        made.heading("Commands")
        made.lines += tagged((f"Xr {'-'.join([*names, each['commandName']])} 1",
                              filled(escaped(each["abstract"]))) for each in subcommands)
    if arguments:
        made.heading("Options")
        made.lines += tagged((title(argument), explanation(argument)) for argument in arguments)
    for heading, block in places:
        made.heading(heading)
        made.blocks(block)
    made.heading("Exit status")
    made.blocks(tagged(codes) if codes else filled("The exit codes are listed in") + [".Xr prosper 1 ."])
    examples = usage(program, names)
    if examples:
        made.heading("Examples")
        made.blocks(literal(examples))
    return made


def shown(command):
    return [each for each in command.get("subcommands", []) if each["shouldDisplay"] and each["commandName"] != "help"]


def synopsis(names, command, arguments):
    """Positional arguments, then the options in alphabetical order."""
    lines = [f".Nm {escaped(' '.join(names))}"]
    positional = [argument for argument in arguments if argument["kind"] == "positional"]
    options = [argument for argument in arguments if argument["kind"] != "positional"]
    if shown(command):
        lines += [".Ar command", ".Op Ar argument ..."]
    for argument in positional:
        value = f"Ar {escaped(argument['valueName'])}" + (" ..." if argument["isRepeating"] else "")
        lines.append(f".Op {value}" if argument["isOptional"] else f".{value}")
    for argument in sorted(options, key=lambda argument: argument["preferredName"]["name"]):
        value = f"{flag(argument['preferredName'])}{operand(argument)}"
        lines.append(f".Op {value}" if argument["isOptional"] else f".{value}")
    return lines


def flag(name):
    return "Fl " + (r"\-" if name["kind"] == "long" else "") + escaped(name["name"])


def operand(argument):
    return f" Ar {escaped(argument['valueName'])}" if argument["kind"] != "flag" else ""


def title(argument):
    if argument["kind"] == "positional":
        return f"Ar {escaped(argument['valueName'])}" + (" ..." if argument["isRepeating"] else "")
    names = sorted(argument["names"], key=lambda name: name["kind"] == "long")
    return " , ".join(flag(name) for name in names) + operand(argument)


def explanation(argument):
    text = " ".join(argument.get(key, "") for key in ("abstract", "discussion")).strip()
    default = argument.get("defaultValue")
    values = argument.get("allValues") or []
    if any(value not in text for value in values):
        text += f" Values: {', '.join(values)}."
    if default and "default" not in text:
        text += f" Default: {default}."
    return filled(escaped(text)) or [r"\&"]


def discussion(command):
    """The paragraphs of a discussion, and the exit codes that it lists."""
    blocks, codes = [], []
    for paragraph in command.get("discussion", "").split("\n\n"):
        lines = paragraph.strip().split("\n")
        match = EXIT.match(paragraph.strip())
        if match:
            codes = [exit_code(part) for part in match[1].replace("\n", " ").rstrip(".").split(" · ")]
        elif lines[0].endswith(":") and 1 < len(lines):
            # The lines of a list keep their breaks.
            blocks += [filled(escaped(lines[0])), listing(lines[1:])]
        elif lines[0]:
            blocks.append(filled(escaped(" ".join(lines))))
    return blocks, codes


def listing(lines):
    made = [".Bl -item -compact -offset indent"]
    for line in lines:
        made += [".It", *filled(escaped(line))]
    return [*made, ".El"]


def exit_code(text):
    match = CODES.match(text.strip())
    if not match:
        raise SystemExit(f"manual: not an exit code with its meaning: '{text}'; write '64 wrong usage'")
    return match[1], filled(escaped(match[2]))


def usage(program, names):
    """The lines of the command's own usage text; none if the argument parser has made it up."""
    text = subprocess.run([program, *names[1:], "--help"], check=True, capture_output=True, text=True).stdout
    block = text.partition("USAGE: ")[2].partition("\n\n")[0]
    lines = [line.strip() for line in block.split("\n")]
    return [] if any(re.search(r"[<\[]", line) for line in lines) else lines
