"""One example of misuse: clang refuses its marked line, and accepts the rest without it.

"must not compile" marks a breach of the thread rule. clang finds it where NIO_THREAD_SAFETY_ANALYSIS
is defined; without the definition the whole example compiles without a warning.
"must not compile: WORDS" marks a mistake that is one error with these words, always.

check.py EXAMPLE LIB    exit code 77 (skipped) where there is no clang++
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

MARK = "// must not compile"
PLAIN = ["-Wall", "-Wextra", "-Wthread-safety", "-Werror"]
NAMES = ["clang++", *(f"clang++-{version}" for version in range(30, 13, -1))]


def compile_text(clang, lib, text, *flags):
    """The compiler's exit code and what it said."""
    command = [clang, "-std=c++20", "-fsyntax-only", f"-I{lib}", *flags, "-xc++", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    return run.returncode, run.stderr


def analyse(clang, lib, text):
    return compile_text(clang, lib, text, "-Werror=thread-safety", "-DNIO_THREAD_SAFETY_ANALYSIS")


def is_refused_for(messages, words, marked):
    """Whether the marked line alone is refused: by the analysis, or by one error with these words."""
    errors = re.findall(r"^.*error:.*$", messages, re.MULTILINE)
    if words:
        return len(errors) == 1 and words in errors[0] and f"<stdin>:{marked}:" in messages
    lines = re.findall(r"^<stdin>:(\d+):.*error:.*-Wthread-safety", messages, re.MULTILINE)
    return {int(number) for number in lines} == {marked}


def trouble_of(clang, lib, lines):
    marked = [number for number, line in enumerate(lines, 1) if MARK in line]
    if len(marked) != 1:
        return f"{len(marked)} lines are marked '{MARK}', not one"
    text = "\n".join(lines) + "\n"
    words = lines[marked[0] - 1].partition(MARK + ": ")[2]

    code, messages = analyse(clang, lib, text)
    if code == 0:
        return f"line {marked[0]} compiles"
    if not is_refused_for(messages, words, marked[0]):
        return f"refused for another reason than line {marked[0]}:\n{messages}"
    if not words:
        code, messages = compile_text(clang, lib, text, *PLAIN)
        if code:
            return f"does not compile without the analysis:\n{messages}"

    lines = [line for line in lines if MARK not in line]
    code, messages = analyse(clang, lib, "\n".join(lines) + "\n")
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
