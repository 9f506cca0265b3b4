#!/usr/bin/env python3
"""That a simulation is not blind, and that what it prints of a failure is of use.

finds_planted.py PROGRAM: built with a defect, it finds a seed that fails, shrinks the list of its
faults, and prints a command that makes the same failure again, with the same fingerprint, each time.
"""
import re
import shlex
import subprocess
import sys

PATIENCE_SECONDS = 3000
SEEDS = "1-1000"
FAILED = re.compile(r"^seed=(\d+) commit=\S+ fingerprint=([0-9a-f]{16}) steps=\d+ faults=(\d+): (.+)$",
                    re.M)


def run(command):
    """What it said of a seed that failed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=PATIENCE_SECONDS,
                          check=False)
    print(done.stdout, end="")
    assert done.returncode == 1, f"{shlex.join(command)} ended with {done.returncode}"
    failed = FAILED.search(done.stdout)
    assert failed, "no line that says which seed has failed"
    return failed, done.stdout


def count(faults):
    """How many there are in "3,7-9"."""
    if faults == "none":
        return 0
    ranges = [list(map(int, part.split("-"))) for part in faults.split(",")]
    return sum(each[-1] - each[0] + 1 for each in ranges)


def main():
    first, said = run([sys.argv[1], "--seeds", SEEDS])
    again = re.search(r"^  again: (.+ --seed (\d+) --faults (\S+))$", said, re.M)
    assert again, "no command that makes it fail again"
    assert again[2] == first[1], "the command is of another seed"
    whole, _ = run([sys.argv[1], "--seed", first[1]])
    assert count(again[3]) == int(first[3]), "not all faults of the list have struck"
    assert count(again[3]) < int(whole[3]), "the list of faults is not shorter"
    for _ in range(2):
        once_more, _ = run(shlex.split(again[1]))
        assert once_more.groups() == first.groups(), "it does not fail in the same way again"


if __name__ == "__main__":
    main()
