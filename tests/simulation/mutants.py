#!/usr/bin/env python3
"""Puts known defects into a copy of the project: after how many seeds are they found by simulation?

    mutants.py [--seeds N] [--others] [NAME...]   all mutants, or those named (without .mutant)

The mutants are those in mutants/ beside this file; their form is that of tests/mutants/run.py, and
`tests:` names the simulation that must find it. A line for each: the first seed, the simulation, the
class of the defect, its name, and what the seed found. With --others those of tests/mutants follow, on
nio-simulation; many of them are about what that leaves out. Exit code 1 if one of the own ones is
not found.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/mutants"))
from run import Mutant, check_names, find_place, say  # noqa: E402

from command_line import Parser, at_least  # noqa: E402  run has made tests/support known

COPIED = ["CMakeLists.txt", "lib", "apps", "tests"]
CONFIGURE = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
             "-DNIO_BUILD_APPS=ON", "-DNIO_BUILD_TESTS=ON", "-DNIO_INSTALL=OFF"]
# Which simulations there are, and so many fewer seeds of each: one of the router takes longer, and what
# only happens while somebody moves is rarer.
FEWER = {"nio-simulation": 1, "nio-uring-simulation": 0.1, "nio-invocation-simulation": 1,
         "nio-router-simulation": 5, "nio-load-simulation": 1}
JOBS = os.environ.get("JOBS", str(os.cpu_count() or 2))
SECONDS = 600  # for all seeds of one mutant


def program_of(mutant):
    return mutant.tests if mutant.tests in FEWER else "nio-simulation"


def build(tree, program):
    command = ["cmake", "--build", str(tree / "build"), "-j", JOBS, "--target", program]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def first_seed(tree, program, seeds):
    """(the first seed that fails, why), None where none does."""
    seeds = max(1, int(seeds / FEWER[program]))
    command = [str(tree / "build/bin" / program), "--seeds", f"1-{seeds}", "--no-shrink"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          timeout=SECONDS, check=False)
    if done.returncode == 0:
        return None
    seed = re.search(r"^seed=(\d+)", done.stdout, re.M).group(1)
    why = re.search(r"faults=\d+: (.*)$", done.stdout, re.M)
    signal = re.search(r"ended by signal \d+", done.stdout)
    return int(seed), why.group(1) if why else signal.group(0) if signal else "?"


def judge(tree, mutant, seeds):
    place = find_place(tree, mutant)
    if place is None:
        return "does not apply", ""
    path, text, changed = place
    path.write_text(changed, encoding="utf-8")
    try:
        if not build(tree, program_of(mutant)):
            return "does not build", ""
        found = first_seed(tree, program_of(mutant), seeds)
    except subprocess.TimeoutExpired:
        return "takes too long", ""
    finally:
        path.write_text(text, encoding="utf-8")
    return ("not found", "") if found is None else (f"seed {found[0]}", found[1])


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=at_least(1), default=20000,
                        help="%(default)s; a fifth of them of the router, ten times as many on io_uring")
    parser.add_argument("--others", action="store_true", help="those of tests/mutants, too")
    parser.add_argument("names", nargs="*", help="those of them, without .mutant; else all")
    arguments = parser.parse_args()
    own = sorted((HERE / "mutants").glob("*.mutant"))
    others = sorted((ROOT / "tests/mutants").glob("*.mutant"))
    check_names(parser, arguments.names, own + others)
    paths = [path for path in own + others if path.stem in arguments.names or not arguments.names
             and (path in own or arguments.others)]
    mutants = {path: Mutant(path) for path in paths}
    bad = 0
    with tempfile.TemporaryDirectory(prefix="nio-simulation-") as folder:
        tree = Path(folder)
        for name in COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy2)(source, tree / name)
        subprocess.run(["cmake", "-S", str(tree), "-B", str(tree / "build"), *CONFIGURE],
                       check=True, stdout=subprocess.DEVNULL)
        for program in sorted({program_of(mutant) for mutant in mutants.values()}):
            if not build(tree, program) or first_seed(tree, program, arguments.seeds) is not None:
                sys.exit(f"mutants: {program} fails without any mutant")
        for path, mutant in mutants.items():
            verdict, why = judge(tree, mutant, arguments.seeds)
            bad += path in own and not verdict.startswith("seed")
            say(f"{verdict:14} {program_of(mutant):26} {mutant.kind:20} {path.stem:42} {why[:60]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
