"""Every public header compiles on its own, twice in a row, and does not lead to Asio.

headers.py COMPILER ROOT
"""
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def trouble_of(compiler, lib, header):
    name = header.relative_to(lib)
    with tempfile.NamedTemporaryFile("r") as reached:
        run = subprocess.run(
            [compiler, *FLAGS, f"-I{lib}", "-MD", "-MF", reached.name, "-MT", "x", "-xc++", "-"],
            input=f"#include <{name}>\n#include <{name}>\n",
            capture_output=True,
            text=True,
        )
        if run.returncode != 0:
            return f"{name} does not stand alone:\n{run.stderr}"
        files = Path(reached.name).read_text(encoding="utf-8")
    if str(name) not in files:
        return f"{name}: the compiler did not say which files it reached"
    asio = re.search(r"\S*/asio(\.hpp|/)\S*", files)
    return f"{name} leads to {asio[0]}" if asio else None


def main():
    compiler, lib = sys.argv[1], Path(sys.argv[2]) / "lib"
    headers = sorted((lib / "nio").rglob("*.h"))
    with ThreadPoolExecutor(2) as pool:
        troubles = list(filter(None, pool.map(lambda h: trouble_of(compiler, lib, h), headers)))
    print("\n".join(troubles) or f"{len(headers)} headers stand alone")
    sys.exit(1 if troubles or not headers else 0)


if __name__ == "__main__":
    main()
