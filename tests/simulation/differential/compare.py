#!/usr/bin/env python3
"""Runs random scripts of kernel calls on the simulated and on the real kernel: compare.py SIMULATED
REAL FROM TO [tight]. The traces must be the same. tight: sockets' buffers are small and get full. On the real loopback a FIN or an RST may be late: a
script that differs is given two more chances.
"""
import subprocess
import sys

CHANCES = 3


def traces(program, first, last, buffers):
    """The trace of each seed."""
    done = subprocess.run([program, str(first), str(last), *buffers], stdout=subprocess.PIPE, text=True,
                          timeout=300, check=True)
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("seed "):
            found[int(line[5:])] = []
            lines = found[int(line[5:])]
        else:
            lines.append(line)
    return found


def first_difference(simulated, real):
    for index, (one, other) in enumerate(zip(simulated, real)):
        if one != other:
            return index
    return min(len(simulated), len(real))


def main(simulator, reality, first, last, *buffers):
    simulated = traces(simulator, first, last, buffers)
    real = traces(reality, first, last, buffers)
    bad = again = 0
    for seed, trace in simulated.items():
        other = real[seed]
        for _ in range(CHANCES - 1):
            if other == trace:
                break
            again += 1
            other = traces(reality, seed, seed, buffers)[seed]
        if other == trace:
            continue
        bad += 1
        at = first_difference(trace, other)
        print(f"seed {seed} differs at line {at}:")
        for line in trace[max(0, at - 12):at]:
            print(f"    {line}")
        print(f"  simulated: {trace[at] if at < len(trace) else 'the end'}")
        print(f"  real:      {other[at] if at < len(other) else 'the end'}")
    calls = sum(map(len, simulated.values()))
    print(f"{len(simulated)} scripts, {calls} calls, {again} run again: {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:]))
