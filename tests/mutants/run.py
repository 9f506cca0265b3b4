#!/usr/bin/env python3
"""Puts known defects into a copy of the library, one line at a time, and expects a test to notice.

    run.py [NAME...]   all mutants, or those named (without .mutant)
    run.py --places    only whether each still has the line that it replaces; the simulation's, too

Each *.mutant beside this file says, one per line,
    # what the defect is
    class:     (optional) its kind, in a word or two: what whoever uses the library would suffer from
    file:      the source, from the project's root; of a pattern (*), the one file that has the line
    after:     (optional) a line above the place, where the original line stands more than once
    original:  the line that is replaced, without its indentation
    mutated:   what comes in its place, on one line; may be empty
    tests:     the GoogleTest filter that must fail, or not end in time

Exit code 1 if a mutant survives, does not apply or does not build, or if the tests fail without
any mutant. The project itself is never touched.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from command_line import Parser  # noqa: E402

COPIED = ["CMakeLists.txt", "lib", "tests"]
CONFIGURE = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
             "-DNIO_BUILD_APPS=OFF", "-DNIO_BUILD_TESTS=ON", "-DNIO_INSTALL=OFF"]
JOBS = os.environ.get("JOBS", str(os.cpu_count() or 2))
SECONDS = 30  # for the tests of one mutant


class Mutant:
    def __init__(self, path):
        self.name = path.stem
        fields = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            key, colon, value = line.partition(":")
            if colon and not line.startswith("#"):
                fields[key.strip()] = value.strip()
        self.kind = fields.get("class", "")
        self.file = fields["file"]
        self.after = fields.get("after")
        self.original = fields["original"]
        self.mutated = fields["mutated"]
        self.tests = fields["tests"]

    def apply(self, text):
        """The text with the defect in it; None where it does not apply."""
        lines = text.split("\n")
        stripped = [line.strip() for line in lines]
        start = 0
        if self.after is not None:
            if stripped.count(self.after) != 1:
                return None
            start = stripped.index(self.after) + 1
        places = [i for i in range(start, len(lines)) if stripped[i] == self.original]
        if not places or (self.after is None and len(places) != 1):
            return None
        place = places[0]
        indentation = lines[place][:len(lines[place]) - len(lines[place].lstrip())]
        lines[place] = indentation + self.mutated
        return "\n".join(lines)


def say(text):
    print(text, flush=True)


def build(tree):
    command = ["cmake", "--build", str(tree / "build"), "-j", JOBS, "--target", "nio-tests"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout


def find_tests(tree):
    return next(path for path in (tree / "build").rglob("nio-tests") if path.is_file())


def run_tests(tree, tests, seconds):
    """passed, failed, timeout, or none where no test has such a name."""
    command = [str(find_tests(tree)), f"--gtest_filter={tests}"]
    listed = subprocess.run(command + ["--gtest_list_tests"], stdout=subprocess.PIPE, text=True,
                            check=False)
    if "  " not in listed.stdout:
        return "none"
    try:
        done = subprocess.run(command + ["--gtest_fail_fast", "--gtest_brief=1"], cwd=tree,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return "timeout"
    return "passed" if done.returncode == 0 else "failed"


def find_place(tree, mutant):
    """(path, text, text with the defect) of the one file where it applies, else None."""
    found = []
    for path in sorted(tree.glob(mutant.file)):
        text = path.read_text(encoding="utf-8")
        if (changed := mutant.apply(text)) is not None:
            found.append((path, text, changed))
    return found[0] if len(found) == 1 else None


def judge(tree, mutant):
    place = find_place(tree, mutant)
    if place is None:
        return "does not apply"
    path, text, changed = place
    path.write_text(changed, encoding="utf-8")
    try:
        built, _ = build(tree)
        if not built:
            return "does not build"
        outcome = run_tests(tree, mutant.tests, SECONDS)
    finally:
        path.write_text(text, encoding="utf-8")
    return {"failed": "killed", "timeout": "killed (time-out)", "passed": "SURVIVED",
            "none": "no such test"}[outcome]


def prepare(tree):
    for name in COPIED:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, tree / name)
    subprocess.run(["cmake", "-S", str(tree), "-B", str(tree / "build"), *CONFIGURE], check=True,
                   stdout=subprocess.DEVNULL)
    built, output = build(tree)
    if not built:
        sys.exit(output[-4000:] + "\nmutants: the project does not build")


def check_names(parser, names, paths):
    if unknown := sorted(set(names) - {path.stem for path in paths}):
        parser.error(f"there is no mutant {', '.join(unknown)}")


def check_places(mutants):
    planted = sorted((ROOT / "tests/simulation/mutants").glob("*.mutant"))
    mutants = mutants + [Mutant(path) for path in planted]
    lost = [mutant.name for mutant in mutants if find_place(ROOT, mutant) is None]
    for name in lost:
        say(f"does not apply     {name}")
    return 1 if lost else 0


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="those of them, without .mutant; else all")
    parser.add_argument("--places", action="store_true",
                        help="only check that each still has the line that it replaces")
    options = parser.parse_args()
    names = options.names
    paths = sorted(Path(__file__).parent.glob("*.mutant"))
    check_names(parser, names, paths)
    mutants = [Mutant(path) for path in paths if path.stem in names or not names]
    if options.places:
        return check_places(mutants)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="nio-mutants-") as folder:
        tree = Path(folder)
        say("building without any mutant ...")
        prepare(tree)
        if run_tests(tree, ":".join(mutant.tests for mutant in mutants), 600) != "passed":
            sys.exit("mutants: the tests fail without any mutant")
        for mutant in mutants:
            verdict = judge(tree, mutant)
            bad += not verdict.startswith("killed")
            say(f"{verdict:18} {mutant.name}")
    say(f"{len(mutants) - bad} of {len(mutants)} mutants killed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
