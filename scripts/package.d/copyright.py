"""copyright.py CHECKOUTS: prints the copyright file of the packages, in Debian's format.

It covers prosper and everything that is linked into its program. CHECKOUTS is the folder with the sources of the
packages that Package.swift names; one without an entry here is an error, so that no licence is forgotten.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APACHE, EXCEPTION = "Apache-2.0", "Apache-2.0 with Swift runtime library exception"

LINKED = [  # the checkout, or None for what comes with the compiler; name, holders, licence
    (None, "Swift standard library, Foundation and Dispatch", "2014-2026 Apple Inc. and the Swift project authors",
     EXCEPTION),
    (None, "LLVM support code in the Swift runtime", "2003-2026 the LLVM project authors",
     "Apache-2.0 with LLVM exception"),
    (None, "ICU and its data, in Foundation", "2016-2024 Unicode, Inc.; 1995-2016 International Business Machines "
     "Corporation and others", "Unicode-3.0"),
    (None, "double-conversion, in ICU", "2006-2012 the V8 project authors", "BSD-3-clause"),
    ("Yams", "Yams", "2016 JP Simard", "MIT"),
    ("Yams", "libyaml, in Yams", "2017-2020 Ingy döt Net; 2006-2016 Kirill Simonov", "MIT"),
    ("swift-argument-parser", "swift-argument-parser", "2020-2026 Apple Inc. and the Swift project authors", EXCEPTION),
    ("swift-log", "swift-log", "2018-2026 Apple Inc. and the SwiftLog project authors; contains a derivation of the "
     "lock of SwiftNIO, 2017-2018 Apple Inc. and the SwiftNIO project authors", APACHE),
    ("hdrhistogram-swift", "hdrhistogram-swift", "2023 Ordo One AB", APACHE),
    ("FlyingFox", "FlyingFox and FlyingSocks", "2022 Simon Whitty", "MIT"),
    ("swift-numerics", "swift-numerics", "2019-2026 Apple Inc. and the Swift Numerics project authors", EXCEPTION),
]

# Packages that earlier versions were built with, and that were never linked in: their checkouts may be left.
TOOLS = {"swift-docc-plugin", "swift-docc-symbolkit"}

RECOMMENDED = """The program contains nothing of libavformat and libavcodec. It loads them when
it first needs them, works without them, and the package only recommends them.
Debian builds these libraries under the GNU General Public License, version 2
or later. The licences of prosper and of everything that is linked into its
program permit their use together: the MIT and BSD licences and Unicode-3.0
are compatible with the GPL, and the Apache License 2.0 is with its version 3."""

COMMON = "On Debian systems, the complete text of the Apache License, version 2.0, is in\n" \
    "/usr/share/common-licenses/Apache-2.0. The tarball contains it as Apache-2.0.txt."
SWIFT_EXCEPTION = """As an exception, if you use this Software to compile your source code and
portions of this Software are embedded into the binary product as a result,
you may redistribute such product without providing attribution as would
otherwise be required by Sections 4(a), 4(b) and 4(d) of the License."""
LLVM_EXCEPTION = """As an exception, if, as a result of your compiling your source code, portions
of this Software are embedded into an Object form of such source code, you
may redistribute such embedded portions in such Object form without complying
with the conditions of Sections 4(a), 4(b) and 4(d) of the License.

In addition, if you combine or link compiled forms of this Software with
software that is licensed under the GPLv2 ("Combined Software") and if a
court of competent jurisdiction determines that the patent provision (Section
3), the indemnity provision (Section 9) or other Section of the License
conflicts with the conditions of the GPLv2, you may retroactively and
prospectively choose to deem waived or otherwise exclude such Section(s) of
the License, but only in their entirety and only with respect to the Combined
Software."""


def texts():
    """The text of each licence."""
    mit = (ROOT / "LICENSE").read_text(encoding="utf-8").split("\n\n", 2)[2].strip()
    folder = Path(__file__).parent / "licences"
    return {
        "MIT": mit, APACHE: COMMON, EXCEPTION: f"{COMMON}\n\n{SWIFT_EXCEPTION}",
        "Apache-2.0 with LLVM exception": f"{COMMON}\n\n{LLVM_EXCEPTION}",
        "Unicode-3.0": (folder / "unicode.txt").read_text(encoding="utf-8").strip(),
        "BSD-3-clause": (folder / "bsd.txt").read_text(encoding="utf-8").strip(),
    }


def notice(checkouts, checkout):
    """What the project of a checkout wants its users to be told, as the rest of a comment."""
    found = sorted((checkouts / checkout).glob("NOTICE*")) if checkout else []
    return "".join(f"\n .\n{indented(path.read_text(encoding='utf-8').strip(chr(10)))}" for path in found)


def short(licence):
    """The name of a licence as one word."""
    return licence.replace(" ", "-")


def indented(text):
    return "\n".join(f" {line}" if line.strip() else " ." for line in text.split("\n"))


def main(checkouts):
    unknown = {path.name for path in checkouts.iterdir() if path.is_dir()} - {entry[0] for entry in LINKED} - TOOLS
    if unknown:
        sys.exit(f"copyright: add the licence of {', '.join(sorted(unknown))} to scripts/package.d/copyright.py")
    holder = (ROOT / "LICENSE").read_text(encoding="utf-8").split("\n")[2].removeprefix("Copyright (c) ")
    parts = ["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: prosper\n"
             "Comment: The paragraphs after the first are of libraries that are linked into\n"
             " /usr/bin/prosper; they name the part of the program instead of a file.\n"
             f" .\n{indented(RECOMMENDED)}"]
    parts.append(f"Files: *\nCopyright: {holder}\nLicense: MIT")
    for checkout, name, holders, licence in LINKED:
        lines = "\n           ".join(holders.split("; "))
        parts.append(f"Files: usr/bin/prosper\nCopyright: {lines}\nLicense: {short(licence)}\nComment: {name}"
                     + notice(checkouts, checkout))
    for name, text in texts().items():
        parts.append(f"License: {short(name)}\n{indented(text)}")
    print("\n\n".join(parts))


main(Path(sys.argv[1]))
