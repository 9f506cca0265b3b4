"""Every relative link of the documents leads to a file, and to a heading of it.

links.py ROOT
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def prose(document):
    return CODE.sub("", document.read_text(encoding="utf-8"))


def anchors(document):
    """As GitHub makes them of headings."""
    for heading in HEADING.findall(prose(document)):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def troubles_of(document):
    for link in LINK.findall(prose(document)):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists():
            yield f"{document}: no such file: {link}"
        elif anchor and anchor not in anchors(target):
            yield f"{document}: no such heading: {link}"


def main():
    root = Path(sys.argv[1])
    documents = [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]
    troubles = [trouble for document in documents for trouble in troubles_of(document)]
    print("\n".join(troubles) or f"{len(documents)} documents, all links resolve")
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
