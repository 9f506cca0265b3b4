#!/usr/bin/env python3
"""gcov for gcovr: says also of a branch that was never reached if only an exception takes it.

The text of gcov 12 calls such a branch `never executed` without the `(throw)` that it gives to those
that it has reached, so gcovr cannot leave them out. gcov's JSON tells them apart: this runs gcov
as it is asked to, then reads the JSON of the same file and writes `taken 0 (throw)` for them.

The other branches of a line are numbered anew, 0, 1, 2: gcov counts calls, too, and those differ
between the instances of a template, whose branches gcovr adds up by their numbers.
"""
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

GCOV = os.environ.get("GCOV", "gcov")
SOURCE = re.compile(r"^ *[^:]+: *(\d+):(?:Source:(.*))?")
BRANCH = re.compile(r"^branch +\d+ (?:taken (\d+)|never executed$)")
NEVER = "never executed"


def blocks(text):
    """(index of the first line, line number) of each run of branches below a line of source."""
    found = []
    for index, line in enumerate(text):
        place = SOURCE.match(line)
        if place:
            found.append((int(place[1]), []))
        elif found and BRANCH.match(line):
            found[-1][1].append(index)
    return [(number, indices) for number, indices in found if indices]


def agree(text, indices, branches):
    if len(indices) != len(branches):
        return False
    counts = [int(BRANCH.match(text[index])[1] or 0) for index in indices]
    return counts == [branch["count"] for branch in branches]


def markBlock(text, indices, branches):
    thrown, others = itertools.count(len(branches)), itertools.count()
    for index, branch in zip(indices, branches):
        number = next(thrown if branch["throw"] else others)
        line = re.sub(r"^branch +\d+", f"branch {number}", text[index])
        text[index] = line.replace(NEVER, "taken 0 (throw)") if branch["throw"] else line


def marked(text, lines):
    """text, a .gcov file's lines, with what the JSON's lines of that file say of throws."""
    known = collections.defaultdict(list)
    for line in lines:
        if line["branches"]:
            known[line["line_number"]].append(line["branches"])
    text = list(text)
    for number, indices in blocks(text):
        # A template's line stands there once for each instance, in the same order.
        places = [i for i, branches in enumerate(known[number]) if agree(text, indices, branches)]
        if not places:
            continue
        markBlock(text, indices, known[number].pop(places[0]))
    return text


def readJson(arguments):
    output = subprocess.run([GCOV, *arguments, "--json-format", "--stdout"], text=True,
                            capture_output=True, check=True).stdout
    return {file["file"]: file["lines"]
            for whole in output.splitlines() if whole.startswith("{")
            for file in json.loads(whole)["files"]}


def main(arguments):
    done = subprocess.run([GCOV, *arguments], text=True, capture_output=True)
    sys.stderr.write(done.stderr)
    sys.stdout.write(done.stdout)
    written = [pathlib.Path(name) for name in re.findall(r"[Cc]reating '(.*)'", done.stdout)]
    files = readJson(arguments) if written else {}
    for path in written:
        text = path.read_text(errors="surrogateescape").splitlines()
        source = SOURCE.match(text[0])[2]
        if source in files:
            text = marked(text, files[source])
            path.write_text("\n".join(text) + "\n", errors="surrogateescape")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
