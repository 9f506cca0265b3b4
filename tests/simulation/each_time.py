#!/usr/bin/env python3
"""That a seed of a simulation is the same run each time, alone and among others.

each_time.py PROGRAM: the fingerprints of seeds 1 to 200, run in one process and in pieces, agree.
"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from command_line import Parser, program  # noqa: E402

PATIENCE_SECONDS = 3000
PIECES = [(1, 90), (91, 199), (200, 200)]


def fingerprint(program, first, last):
    """Of all these seeds together: an exclusive or, so that pieces add up."""
    done = subprocess.run([program, "--seeds", f"{first}-{last}", "--no-shrink"], text=True,
                          stdout=subprocess.PIPE, timeout=PATIENCE_SECONDS, check=True)
    found = re.search(r"fingerprint ([0-9a-f]{16}), \d+ s: 0 failed", done.stdout)
    if found is None:
        raise ValueError(f"{program} says no fingerprint: it is no simulation")
    return int(found[1], 16)


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=program, help="nio-simulation, or another one")
    options = parser.parse_args()
    try:
        whole = fingerprint(options.program, 1, 200)
        again = 0
        for first, last in PIECES:
            again ^= fingerprint(options.program, first, last)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        parser.error(error)
    print(f"{whole:016x} {again:016x}")
    return 0 if whole == again else 1


if __name__ == "__main__":
    sys.exit(main())
