#!/usr/bin/env python3
"""What the test programs say of a mistake: mistakes_test.py PROGRAMS

One line on standard error that begins with the program's name, nothing on standard output, exit code
2; and --help is granted. Programs that this build does not have are left out.
"""
import subprocess
import sys
from pathlib import Path

PATIENCE_SECONDS = 240
SIMULATION = {
    "--nope": "'--nope'", "--seeds": "needs a value", "--seeds 5-3": "'5-3'", "--seeds 1-": "'1-'",
    "--seconds 0": "'0'", "--seed 1 --seeds 1-2": "neither", "--seed 1 --seconds 2": "neither",
    "--faults 1": "needs --seed", "--trace": "needs --seed", "--seed 1 --faults 2,x": "'2,x'",
}
SCRIPT = {"": "usage", "1": "usage", "1 2 loose": "'loose'", "3 1": "'1'", "1 x": "'x'"}
MISTAKES = {
    "nio-simulation": SIMULATION,
    "nio-uring-simulation": SIMULATION,
    "nio-invocation-simulation": SIMULATION,
    "nio-router-simulation": SIMULATION,
    "nio-load-simulation": SIMULATION,
    "nio-torture": {
        "--nope": "'--nope'", "--every 0": "'0'", "--scenario nope": "half-close",
        "--scenario echo --call nope": "epollAdd", "--scenario echo --call send": "needs --nth",
        "--scenario echo --call send --nth 1": "needs --error", "--nth 1": "needs --call",
        "--call send --nth 1 --error 32": "--scenario", "--trace": "needs",
        "--scenario echo --call send --nth 99999 --error 32": "did not strike",
        "--scenario echo --allocation 999999": "did not strike",
    },
    "flight-replay": {"": "FILE", "/nonexistent": "No such file", "/": "Is a directory"},
    "kernel-script-simulated": SCRIPT,
    "kernel-script-real": SCRIPT,
    "nio-model": {"foo": "'foo'", "1 2": "'2'"},
    "fuzz-replay": {
        "": "TARGET", "nope /": "decoders", "decoders /nonexistent": "No such file",
    },
}


def run(program, arguments):
    return subprocess.run([program, *arguments.split()], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE_SECONDS, check=False)


def is_well_said(program, done, expected):
    return (done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1 and
            done.stderr.startswith(program.name + ": ") and expected in done.stderr)


def main():
    bad = 0
    for name, mistakes in MISTAKES.items():
        program = Path(sys.argv[1]) / name
        if not program.exists():
            continue
        for arguments, expected in mistakes.items():
            done = run(program, arguments)
            if not is_well_said(program, done, expected):
                bad += 1
                print(f"{name} {arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
        helped = run(program, "--help")
        if helped.returncode != 0 or name not in helped.stdout or helped.stderr:
            bad += 1
            print(f"{name} --help: {helped.returncode}\n{helped.stdout}{helped.stderr}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
