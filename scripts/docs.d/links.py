"""links.py SITE: makes the relative links between the articles lead to the pages of a DocC site.

The articles link each other as Markdown files (`Events.md#states`), so that they can be read without a site. DocC
copies such links unchanged; in the site the same page is `/documentation/MODULE/events#States`. Exits with 1 if a link
leads nowhere.
"""

import json
import re
import sys
from pathlib import Path

LINK = re.compile(r"^(?:([\w-]+)\.md)?(?:#(.*))?$")


def anchors(node):
    """All anchors of headings in a page."""
    if isinstance(node, dict):
        if node.get("type") == "heading" and "anchor" in node:
            yield node["anchor"]
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from anchors(child)


def target(link, page, pages, module):
    """The address of a link in the site; None if it leads nowhere."""
    name, anchor = LINK.match(link).groups()
    name = name.lower() if name else page
    if name not in pages:
        return None
    # DocC keeps the case of headings in their anchors.
    found = {each.lower(): each for each in anchors(pages[name])}
    if anchor and anchor.lower() not in found:
        return None
    return f"/documentation/{module}/{name}" + (f"#{found[anchor.lower()]}" if anchor else "")


def rewrite(folder):
    """Rewrites the pages of one module; returns the links that lead nowhere."""
    lost = []
    pages = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    for page, content in pages.items():
        for link, reference in content.get("references", {}).items():
            if reference.get("type") != "link" or not LINK.match(link):
                continue
            address = target(link, page, pages, folder.name)
            if address is None:
                lost.append(f"docs: {page}: '{link}' leads to no page or heading")
            else:
                reference["url"] = address
        (folder / f"{page}.json").write_text(json.dumps(content), encoding="utf-8")
    return lost


def main():
    lost = []
    for folder in (Path(sys.argv[1]) / "data/documentation").iterdir():
        if folder.is_dir():
            lost += rewrite(folder)
    print("\n".join(lost), end="\n" if lost else "", file=sys.stderr)
    return 1 if lost else 0


sys.exit(main())
