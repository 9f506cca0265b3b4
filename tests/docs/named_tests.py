"""Every test that docs/seeds.md names exists.

named_tests.py ROOT
"""
import re
import sys
from pathlib import Path

NAMED = re.compile(r"`(\w+\.\w+)` \|$", re.MULTILINE)
WRITTEN = re.compile(r"TEST(?:_F|_P)?\((\w+),\s*(\w+)\)|nio_once_test\((\w+\.\w+)")


def written(root):
    for file in (root / "tests").rglob("*"):
        if file.suffix == ".cpp" or file.name == "CMakeLists.txt":
            for suite, name, whole in WRITTEN.findall(file.read_text(encoding="utf-8")):
                yield whole or f"{suite}.{name}"


def main():
    root = Path(sys.argv[1])
    page = root / "docs" / "seeds.md"
    rows = [row for row in page.read_text(encoding="utf-8").splitlines() if row.startswith("| ")]
    tests = set(written(root))
    troubles = []
    for row in rows:
        if row.startswith(("| ---", "| concept ")):
            continue
        named = NAMED.findall(row)
        if not named:
            troubles.append(f"{page}: no test: {row}")
        troubles += [f"{page}: no such test: {test}" for test in named if test not in tests]
    print("\n".join(troubles) or f"{len(rows)} rows, all tests exist")
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
