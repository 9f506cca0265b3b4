#!/usr/bin/env python3
"""Whether random scripts of kernel calls do the same on the simulated and on the real kernel.

    compare.py SIMULATED REAL FROM TO [tight]

The traces of the scripts FROM to TO must be the same. tight: sockets' buffers are small and get full.
On the real loopback a FIN or an RST may be late: a script that differs is given two more chances.
Exit code 1: some differ all the same.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
from command_line import Parser, at_least, program  # noqa: E402

CHANCES = 3
PATIENCE_SECONDS = 3000


def traces(program, first, last, buffers):
    """The trace of each seed."""
    done = subprocess.run([program, str(first), str(last), *buffers], stdout=subprocess.PIPE, text=True,
                          timeout=PATIENCE_SECONDS, check=True)
    found, lines = {}, []
    for line in done.stdout.splitlines():
        if line.startswith("seed "):
            lines = found[int(line[5:])] = []
        else:
            lines.append(line)
    if list(found) != list(range(first, last + 1)):
        raise ValueError(f"{program} has not run the scripts {first} to {last}")
    return found


def first_difference(simulated, real):
    for index, (one, other) in enumerate(zip(simulated, real)):
        if one != other:
            return index
    return min(len(simulated), len(real))


def show_difference(seed, simulated, real):
    at = first_difference(simulated, real)
    print(f"seed {seed} differs at line {at}:")
    for line in simulated[max(0, at - 12):at]:
        print(f"    {line}")
    print(f"  simulated: {simulated[at] if at < len(simulated) else 'the end'}")
    print(f"  real:      {real[at] if at < len(real) else 'the end'}")


def compare(simulator, reality, first, last, buffers):
    simulated = traces(simulator, first, last, buffers)
    real = traces(reality, first, last, buffers)
    differing = [seed for seed in simulated if real[seed] != simulated[seed]]
    bad = differing
    for _ in range(CHANCES - 1):
        real.update((seed, traces(reality, seed, seed, buffers)[seed]) for seed in bad)
        bad = [seed for seed in bad if real[seed] != simulated[seed]]
    for seed in bad:
        show_difference(seed, simulated[seed], real[seed])
    calls = sum(map(len, simulated.values()))
    again = f"{len(differing)} run again ({CHANCES} chances each)"
    print(f"{len(simulated)} scripts, {calls} calls, {again}: {len(bad)} differ")
    return 1 if bad else 0


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("simulated", type=program, help="kernel-script-simulated")
    parser.add_argument("real", type=program, help="kernel-script-real")
    parser.add_argument("first", metavar="from", type=at_least(0), help="the first script")
    parser.add_argument("last", metavar="to", type=at_least(0), help="the last one")
    parser.add_argument("buffers", nargs="?", choices=["tight"], help="sockets' buffers get full")
    options = parser.parse_args()
    if options.first > options.last:
        parser.error(f"there is no script from {options.first} to {options.last}")
    buffers = [options.buffers] if options.buffers else []
    try:
        return compare(options.simulated, options.real, options.first, options.last, buffers)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        parser.error(error)


if __name__ == "__main__":
    sys.exit(main())
