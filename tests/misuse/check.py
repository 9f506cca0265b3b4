"""One example of misuse: clang refuses its marked line, and takes the rest without it.

"must not compile" is a matter of the thread rule, "must not compile: type" one of types.

check.py EXAMPLE LIB    exit code 77 (skipped) where there is no clang++
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

MARK = "// must not compile"
NAMES = ["clang++", *(f"clang++-{version}" for version in range(30, 13, -1))]


def compile_text(clang, lib, text):
    """The compiler's exit code and what it said."""
    flags = ["-std=c++20", "-fsyntax-only", "-Werror=thread-safety", f"-I{lib}", "-xc++", "-"]
    run = subprocess.run([clang, *flags], input=text, capture_output=True, text=True)
    return run.returncode, run.stderr


def refused_lines(messages, reason):
    """Which lines of the example were refused for this reason."""
    found = re.findall(rf"^<stdin>:(\d+):.*error:.*{reason}", messages, re.MULTILINE)
    return {int(number) for number in found}


def trouble_of(clang, lib, lines):
    marked = [number for number, line in enumerate(lines, 1) if MARK in line]
    if len(marked) != 1:
        return f"{len(marked)} lines are marked '{MARK}', not one"

    code, messages = compile_text(clang, lib, "\n".join(lines) + "\n")
    if code == 0:
        return f"line {marked[0]} compiles"
    is_type = MARK + ": type" in lines[marked[0] - 1]
    reason = "no matching member function" if is_type else "-Wthread-safety"
    if refused_lines(messages, reason) != set(marked):
        return f"refused for another reason than line {marked[0]}:\n{messages}"

    lines = [line for line in lines if MARK not in line]
    code, messages = compile_text(clang, lib, "\n".join(lines) + "\n")
    return f"does not compile without its marked line either:\n{messages}" if code else None


def main():
    example, lib = Path(sys.argv[1]), sys.argv[2]
    clang = next(filter(None, map(shutil.which, NAMES)), None)
    if clang is None:
        print("skipped: there is no clang++ to analyse with")
        sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else 77)
    if trouble := trouble_of(clang, lib, example.read_text(encoding="utf-8").splitlines()):
        sys.exit(f"{example.name}: {trouble}")


if __name__ == "__main__":
    main()
