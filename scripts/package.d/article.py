"""Reads the articles of the documentation: their sections as blocks of mdoc."""

import re

from mdoc import bullets, escaped, filled, guarded, inline, literal, tagged

FENCE = re.compile(r"^\s*```")
HEADING = re.compile(r"^(#{1,3}) (.*)$")
BULLET = re.compile(r"^\* (.*)$")
ROW = re.compile(r"(?<!\\)\|")


def sections(text):
    """(level, title, blocks) of each section; the part before the first heading of level 2 belongs to level 1."""
    result, lines = [], text.splitlines()
    number = 0
    while number < len(lines):
        heading = HEADING.match(lines[number])
        if heading:
            result.append((len(heading[1]), heading[2].replace("`", ""), []))
            number += 1
        elif not lines[number].strip():
            number += 1
        else:
            number, block = read_block(lines, number)
            result[-1][2].append(block)
    return result


def read_block(lines, number):
    """The number of the line after a block, and the block."""
    if FENCE.match(lines[number]):
        end = next(n for n in range(number + 1, len(lines)) if FENCE.match(lines[n]))
        return end + 1, literal(lines[number + 1:end])
    end = number
    while end < len(lines) and lines[end].strip() and not (end > number and FENCE.match(lines[end])):
        end += 1
    block = lines[number:end]
    if block[0].startswith("|"):
        return end, table([cells(line) for line in block])
    if BULLET.match(block[0]):
        return end, bullets(items(block))
    return end, filled(inline(" ".join(block)))


def items(block):
    """The items of a list; a line that is indented continues the item before it."""
    result = []
    for line in block:
        match = BULLET.match(line)
        if match:
            result.append(match[1])
        else:
            result[-1] += " " + line.strip()
    return result


def cells(line):
    return [cell.strip().replace(r"\|", "|") for cell in ROW.split(line)[1:-1]]


def table(rows):
    """A list with the first column as tags. A column of defaults becomes a sentence; wide tables don't fit into 80
    columns."""
    header, body = rows[0], rows[2:]
    return caption(header) + tagged(
        (guarded(inline(row[0])), filled(inline(row[1]) + defaults(header[2:], row[2:]))) for row in body)


def caption(header):
    """A line before a table whose first column is not named for what it obviously contains."""
    subject, value = header[:2]
    if subject in ("key", "what", "file", "variable"):
        return []
    return filled(inline(f"Keys of `{subject}`:" if value == "meaning" else f"{value.capitalize()} of each {subject}:"))


def defaults(header, values):
    text = ""
    for title, value in zip(header, values):
        if value in ("", "none"):
            continue
        said = value if value.startswith("required") else f"{title}: {value}"
        text += f". {inline(said[0].upper() + said[1:])}"
    return text + ("." if text else "")


def summary(text):
    """The first paragraph of an article, as the summary of a page."""
    first = text.split("\n\n")[1].replace("\n", " ").rstrip(".")
    return first[0].lower() + first[1:]


def rows(text, title):
    """The table in the section with that title, as (tag, text) pairs."""
    for _, name, blocks in sections(text):
        if name == title:
            return next(block for block in blocks if block[0].startswith(".Bl -tag"))
    raise SystemExit(f"manual: the article has no section '{escaped(title)}' with a table")
