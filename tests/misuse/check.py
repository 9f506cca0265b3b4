"""Examples of misuse: clang refuses the marked line of each, and accepts the rest without it.

"must not compile" marks a breach of the thread rule. clang finds it where NIO_THREAD_SAFETY_ANALYSIS
is defined; without the definition the whole example compiles without a warning.
"must not compile: WORDS" marks a mistake that is one error with these words, always.

check.py LIB    exit code 77 (skipped) where there is no clang++
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MARK = "// must not compile"
PLAIN = ["-Wall", "-Wextra", "-Wthread-safety", "-Werror"]
ANALYSIS = ["-Werror=thread-safety", "-DNIO_THREAD_SAFETY_ANALYSIS"]
NAMES = ["clang++", *(f"clang++-{version}" for version in range(30, 13, -1))]


class Compiler:
    """It compiles one header in advance: most examples include it, and most of their time goes
    there."""

    HEADER = "#include <nio/pipeline/PipelineFactory.h>"

    def __init__(self, clang, lib, flags, compiled):
        self.command = [clang, "-std=c++20", f"-I{lib}", *flags]
        self.compiled = compiled
        run = subprocess.run([*self.command, "-xc++-header", "-", "-o", self.compiled],
                             input=self.HEADER + "\n", capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{self.HEADER} does not compile:\n{run.stderr}")

    def compile(self, lines):
        """The exit code, and what the compiler said."""
        advance = ["-include-pch", self.compiled] if self.HEADER in lines else []
        run = subprocess.run([*self.command, *advance, "-fsyntax-only", "-xc++", "-"],
                             input="\n".join(lines) + "\n", capture_output=True, text=True)
        return run.returncode, run.stderr


def is_refused_for(messages, words, marked):
    """Whether the marked line alone is refused: by the analysis, or by one error with these words."""
    errors = re.findall(r"^.*error:.*$", messages, re.MULTILINE)
    if words:
        return len(errors) == 1 and words in errors[0] and f"<stdin>:{marked}:" in messages
    lines = re.findall(r"^<stdin>:(\d+):.*error:.*-Wthread-safety", messages, re.MULTILINE)
    return {int(number) for number in lines} == {marked}


def trouble_of(analysing, plain, lines):
    marked = [number for number, line in enumerate(lines, 1) if MARK in line]
    if len(marked) != 1:
        return f"{len(marked)} lines are marked '{MARK}', not one"
    words = lines[marked[0] - 1].partition(MARK + ": ")[2]

    code, messages = analysing.compile(lines)
    if code == 0:
        return f"line {marked[0]} compiles"
    if not is_refused_for(messages, words, marked[0]):
        return f"refused for another reason than line {marked[0]}:\n{messages}"
    if not words:
        code, messages = plain.compile(lines)
        if code:
            return f"does not compile without the analysis:\n{messages}"

    code, messages = analysing.compile([line for line in lines if MARK not in line])
    return f"does not compile without its marked line either:\n{messages}" if code else None


def main():
    lib = sys.argv[1]
    clang = next(filter(None, map(shutil.which, NAMES)), None)
    if clang is None:
        print("skipped: there is no clang++ to analyse with")
        sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else 77)
    examples = sorted(Path(__file__).resolve().parent.glob("*.cpp"))
    texts = [example.read_text(encoding="utf-8") for example in examples]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        analysing = Compiler(clang, lib, ANALYSIS, f"{folder}/analysing.pch")
        plain = Compiler(clang, lib, PLAIN, f"{folder}/plain.pch")
        found = pool.map(lambda text: trouble_of(analysing, plain, text.splitlines()), texts)
        troubles = [f"{example.name}: {trouble}"
                    for example, trouble in zip(examples, found) if trouble]
    print("\n".join(troubles) or f"{len(examples)} examples are refused")
    sys.exit(1 if troubles or not examples else 0)


if __name__ == "__main__":
    main()
