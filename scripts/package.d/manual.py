"""manual.py PROSPER FOLDER: writes the man pages into FOLDER/man1 and FOLDER/man5.

The pages of section 1 are made from the help of the program PROSPER, those of section 5 from the articles of the
documentation. Their date is that of SOURCE_DATE_EPOCH, or today.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import article
import commands
from mdoc import Page, literal

ROOT = Path(__file__).resolve().parents[2]
ARTICLES = ROOT / "Sources/ProsperKit/ProsperKit.docc"
FORMATS = {"prosper-session": "SessionFiles.md", "prosper-script": "Scripts.md"}
EXAMPLES = {"prosper-session": "first-sit.yaml"}


def command_pages(program, command, names, version, seconds):
    places = places_of_program() if len(names) == 1 else ()
    made = [commands.page(program, command, names, version, seconds, places)]
    for each in commands.shown(command):
        made += command_pages(program, each, [*names, each["commandName"]], version, seconds)
    return made


def places_of_program():
    """The variables and files, which an article lists."""
    text = (ARTICLES / "Installing.md").read_text(encoding="utf-8")
    return [(title, article.rows(text, title)) for title in ("Environment", "Files")]


def format_page(name, version, seconds):
    text = (ARTICLES / FORMATS[name]).read_text(encoding="utf-8")
    page = Page(name, 5, version, seconds, article.summary(text))
    for level, title, blocks in article.sections(text):
        page.heading("Description" if level == 1 else title, max(1, level - 1))
        page.blocks(*blocks[1 if level == 1 else 0:])
    if name in EXAMPLES:
        page.heading("Examples")
        page.blocks(literal((ROOT / "sessions" / EXAMPLES[name]).read_text(encoding="utf-8").rstrip().split("\n")))
    return page


def parts(words):
    """All beginnings of the words after the program's name: one, or two for a subcommand."""
    ends = [match.end() for match in re.finditer(r"\w+", words)]
    return [words[:end] for end in ends[:2]]


def main(program, folder):
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    run = lambda *words: subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    version = run("--version").strip()
    help_text = json.loads(run("--experimental-dump-help"))
    pages = command_pages(program, help_text["command"], ["prosper"], version, seconds)
    pages += [format_page(name, version, seconds) for name in FORMATS]
    names = [(page.name, page.section) for page in pages]
    for page in pages:
        # Each page refers to those that it mentions, to the program, and to the formats.
        text = " ".join(page.lines)
        words = re.findall(r"prosper((?:[- ]\w+)+)", text)
        said = {("prosper" + part.replace(" ", "-"), 1) for each in words for part in parts(each)} & set(names)
        said -= {(page.name, page.section)}
        page.see_also(names if page.name == "prosper" else said | {names[0], ("prosper-session", 5)})
        page.write(folder / f"man{page.section}")


if len(sys.argv) != 3:
    sys.exit("manual: give the program and the folder for the pages")
main(sys.argv[1], Path(sys.argv[2]))
