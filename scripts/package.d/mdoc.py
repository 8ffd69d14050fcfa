"""The language of man pages, mdoc(7): escaping, paragraphs and lists, in source lines of at most 78 bytes."""

import re
import textwrap
import time

SPECIAL = {"\\": r"\e", "'": r"\(aq", "`": r"\(ga", '"': r"\(dq", "~": r"\(ti", "^": r"\(ha"}
# A sentence ends a source line, so that formatters put the right space after it.
SENTENCE = re.compile(r"(?<=[^.].[.!?])\s+(?=[A-Z])")
OPTION = re.compile(r"(?<![\w\-])-(?=[\w\-])|(?<=-)-(?=\w)")
PAGES = {"SessionFiles.md": ("prosper-session", 5), "Scripts.md": ("prosper-script", 5),
         "ControllingAPlayer.md": ("prosper-ctl", 1), "ExitCodes.md": ("prosper", 1)}
INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]*)\)|\*([^*\s][^*]*)\*")


def escaped(text, literal=False):
    """Text in which nothing is special. In a literal text, or in front of an option, a hyphen is a minus."""
    text = OPTION.sub("\0", text) if not literal else text.replace("-", "\0")
    text = "".join(SPECIAL.get(c, c if ord(c) < 128 else f"\\[u{ord(c):04X}]") for c in text)
    return text.replace("\0", r"\-")


def inline(text):
    """Markdown within a line: code and strong text become bold, emphasis italic, and links their text."""
    result, end = "", 0
    for match in INLINE.finditer(text):
        code, strong, link, target, emphasis = match.groups()
        result += escaped(text[end:match.start()])
        if link:
            result += inline(link) + reference(target)
        else:
            body = escaped(code, literal=True) if code else escaped(strong or emphasis)
            result += (r"\fI" if emphasis else r"\fB") + body + r"\fP"
        end = match.end()
    return result + escaped(text[end:])


def reference(target):
    """The page that an article is part of, in parentheses; nothing for a link within the article."""
    name, section = PAGES.get(target.split("#")[0], ("", 0))
    return rf" (\fB{escaped(name, literal=True)}\fP({section}))" if name else ""


def guarded(line):
    """A source line that is not taken as a request."""
    return r"\&" + line if line[:1] in (".", "'") else line


def filled(text):
    """A paragraph of already escaped text."""
    lines = []
    for sentence in SENTENCE.split(" ".join(text.split())):
        lines += textwrap.wrap(sentence, 78, break_long_words=False, break_on_hyphens=False)
    return [guarded(line) for line in lines]


def tagged(items):
    """A list of (tag, lines): an escaped tag, and the lines of its body."""
    lines = [".Bl -tag -width Ds"]
    for tag, body in items:
        lines += [f".It {tag}", *body]
    return [*lines, ".El"]


def literal(text):
    """Lines that keep their breaks, such as those of a program. Longer ones than 74 characters would not fit."""
    long = [line for line in text if 74 < len(line)]
    if long:
        raise SystemExit(f"manual: this line does not fit into a page of 80 columns; shorten it: {long[0]}")
    return [".Bd -literal" + ("" if any(66 < len(line) for line in text) else " -offset indent"), *(guarded(escaped(line, literal=True)) for line in text), ".Ed"]


def bullets(items):
    lines = [".Bl -bullet"]
    for item in items:
        lines += [".It", *filled(inline(item))]
    return [*lines, ".El"]


class Page:
    """One man page."""

    def __init__(self, name, section, version, seconds, summary):
        self.name, self.section, self.version = name, section, version
        day = time.gmtime(seconds)
        self.lines = [f".Dd {time.strftime('%B', day)} {day.tm_mday}, {day.tm_year}",
                      f".Dt {name.upper()} {section}", f".Os {escaped(version)}", ".Sh NAME", f".Nm {name}",
                      f".Nd {escaped(summary)}"]

    def heading(self, text, level=1):
        self.lines.append((".Sh " if level == 1 else ".Ss ") + escaped(text.upper() if level == 1 else text))

    def blocks(self, *blocks):
        """Adds paragraphs and lists, with space between them."""
        for number, block in enumerate(block for block in blocks if block):
            # A display and a list begin with space of their own.
            self.lines += ([".Pp"] if number and not block[0].startswith((".Bl", ".Bd")) else []) + block

    def see_also(self, pages):
        """Adds references to (name, section) pairs, but none to the page itself."""
        others = sorted({page for page in pages if page != (self.name, self.section)}, key=lambda page: page[::-1])
        self.heading("See also")
        last = len(others) - 1
        self.lines += [f".Xr {name} {section}" + (" ," if number < last else "")
                       for number, (name, section) in enumerate(others)]

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.{self.section}").write_text("\n".join(self.lines) + "\n", encoding="ascii")
