"""The ```cpp blocks of README.md and docs/**/*.md compile, and the examples are among them.

code_blocks.py COMPILER ROOT

A block is a translation unit of its own. One that starts with the line `// fragment` is the body of
a function, in namespace nio, with every public header included; all of them are one unit. Each unit
is compiled by COMPILER and, where there is one, by clang++ with -Wthread-safety: neither may warn.

Each file of apps/examples is a block, word for word; the build has compiled it.
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


def as_functions(fragments, lib):
    headers = (path.relative_to(lib) for path in sorted((lib / "nio").rglob("*.h")))
    text = "".join(f"#include <{name}>\n" for name in headers) + "namespace nio {\n"
    for number, (document, first, code) in enumerate(fragments):
        text += f'void fragment{number}() {{\n#line {first} "{document}"\n{code}}}\n'
    return text + "}\n"


def units_of(blocks, examples, lib):
    """(flags, text) of what the build has not compiled."""
    fragments = [block for block in blocks if block[2].startswith("// fragment")]
    yield ["-Wno-unused", "-Wno-unused-parameter"], as_functions(fragments, lib)
    for document, first, code in blocks:
        if not code.startswith("// fragment") and code not in examples.values():
            yield [], f'#line {first} "{document}"\n{code}'


def trouble_of(command, lib, flags, text):
    run = subprocess.run([*command, *FLAGS, *flags, f"-I{lib}", "-xc++", "-"], input=text,
                         capture_output=True, text=True)
    return f"does not compile with {command[0]}:\n{run.stderr}" if run.returncode else None


def commands(compiler):
    found = [[compiler]]
    if clang := shutil.which("clang++"):
        found.append([clang, "-Wthread-safety"])
    return found


def examples_not_shown(examples, blocks):
    shown = {code for _, _, code in blocks}
    for path, code in examples.items():
        if code not in shown:
            yield f"{path} is not shown, word for word, in any document"


def main():
    compiler, root = sys.argv[1], Path(sys.argv[2])
    documents = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    blocks = [
        (document, *block)
        for document in documents
        if document.exists()
        for block in blocks_of(document)
    ]
    examples = {path.relative_to(root): path.read_text(encoding="utf-8")
                for path in sorted((root / "apps/examples").glob("*.cpp"))}
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda pair: trouble_of(pair[0], root / "lib", *pair[1]),
                           [(command, unit) for unit in units_of(blocks, examples, root / "lib")
                            for command in commands(compiler)])
        troubles = [*filter(None, results), *examples_not_shown(examples, blocks)]
    print("\n".join(troubles) or f"{len(blocks)} blocks compile")
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
