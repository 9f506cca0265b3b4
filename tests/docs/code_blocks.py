"""Every ```cpp block of README.md and docs/**/*.md compiles.

code_blocks.py COMPILER ROOT

A block is a translation unit of its own. One that starts with the line `// fragment` is the body of
a function, in namespace nio, with every public header included.
"""
import re
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


def trouble_of(compiler, lib, document, first, code):
    flags = list(FLAGS)
    if code.startswith("// fragment"):
        text = as_function(first, code, document, lib)
        flags.append("-Wno-unused")
    else:
        text = f'#line {first} "{document}"\n{code}'
    command = [compiler, *flags, f"-I{lib}", "-xc++", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    return f"{document}:{first}: does not compile\n{run.stderr}" if run.returncode else None


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
        results = pool.map(lambda b: trouble_of(compiler, root / "lib", *b), blocks)
        troubles = list(filter(None, results))
    print("\n".join(troubles) or f"{len(blocks)} blocks compile")
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
