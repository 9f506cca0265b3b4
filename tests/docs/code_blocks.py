"""The ```cpp blocks of README.md and docs/**/*.md compile, and the examples are among them.

code_blocks.py COMPILER ROOT

A block is a translation unit of its own. One that starts with the line `// fragment` is the body of
a function, in namespace nio, with every public header included. Each is compiled by COMPILER and,
where there is one, by clang++ with -Wthread-safety: neither may warn.

Each file of apps/examples is a block, word for word.
"""
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
BLOCK = re.compile(r"^```cpp[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks_of(document):
    """(first line, code) of each block."""
    text = document.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def as_function(first, code, document, lib):
    headers = (path.relative_to(lib) for path in sorted((lib / "nio").rglob("*.h")))
    includes = "".join(f"#include <{name}>\n" for name in headers)
    body = f'#line {first} "{document}"\n{code}'
    return f'{includes}namespace nio {{ void fragment() {{\n{body}}} }}\n'


def trouble_of(command, lib, document, first, code):
    flags = list(FLAGS)
    if code.startswith("// fragment"):
        text = as_function(first, code, document, lib)
        flags += ["-Wno-unused", "-Wno-unused-parameter"]
    else:
        text = f'#line {first} "{document}"\n{code}'
    run = subprocess.run([*command, *flags, f"-I{lib}", "-xc++", "-"], input=text, capture_output=True, text=True)
    said = f"{document}:{first}: does not compile with {command[0]}\n{run.stderr}"
    return said if run.returncode else None


def commands(compiler):
    found = [[compiler]]
    if clang := shutil.which("clang++"):
        found.append([clang, "-Wthread-safety"])
    return found


def examples_not_shown(root, blocks):
    shown = {code for _, _, code in blocks}
    for path in sorted((root / "apps/examples").glob("*.cpp")):
        if path.read_text(encoding="utf-8") not in shown:
            yield f"{path.relative_to(root)} is not shown, word for word, in any document"


def main():
    compiler, root = sys.argv[1], Path(sys.argv[2])
    documents = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    blocks = [
        (document, *block)
        for document in documents
        if document.exists()
        for block in blocks_of(document)
    ]
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda pair: trouble_of(pair[0], root / "lib", *pair[1]),
                           [(command, block) for block in blocks
                            for command in commands(compiler)])
        troubles = [*filter(None, results), *examples_not_shown(root, blocks)]
    print("\n".join(troubles) or f"{len(blocks)} blocks compile")
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
