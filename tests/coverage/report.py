#!/usr/bin/env python3
"""What the tests run of lib/, per room, and each branch that they do not run with the reason.

    report.py build/coverage/coverage.json                  prints it
    report.py build/coverage/coverage.json --page docs/reliability/coverage.md
                                                            writes that page, too

The input is gcovr's JSON. reasons.txt beside this file says why a branch stays uncovered. It names a
branch by its file and by the text of its line: line numbers change too often. What no reason is
given for is listed as such; a reason that nothing needs any more is listed, too. Exit code 1: below the
limits, or a branch without a reason.
"""
import collections
import datetime
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
sys.path.insert(0, str(PROJECT / "tests/support"))
from command_line import Parser  # noqa: E402

LIMITS = {"lines": 95.0, "branches": 85.0}
HEADING = "# Coverage of the library"
COMMAND = "make coverage"


class Tally:
    def __init__(self):
        self.lines = self.linesRun = self.branches = self.branchesRun = 0

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def percent(self, what):
        total, run = getattr(self, what), getattr(self, what + "Run")
        return 100.0 * run / total if total else 100.0

    def cell(self, what):
        return f"{self.percent(what):.1f} %"


class Report:
    """rooms: a Tally by room; missed: [(file, line, text, branches not run)]."""

    def __init__(self, coverage, project):
        self.rooms = collections.defaultdict(Tally)
        self.missed = []
        for entry in coverage["files"]:
            if entry["file"].startswith("lib/"):
                self.addFile(entry, project)
        self.all = Tally()
        for tally in self.rooms.values():
            self.all.add(tally)

    def addFile(self, entry, project):
        file = entry["file"]
        source = (project / file).read_text().splitlines()
        tally = self.rooms[file.rpartition("/")[0]]
        for line in entry["lines"]:
            if line.get("gcovr/noncode"):
                continue
            tally.lines += 1
            tally.linesRun += line["count"] > 0
            counts = [branch["count"] for branch in line["branches"]]
            tally.branches += len(counts)
            tally.branchesRun += sum(count > 0 for count in counts)
            missed = sum(count == 0 for count in counts)
            if missed:
                number = line["line_number"]
                self.missed.append((file, number, source[number - 1].strip(), missed))

    def isBelowLimit(self):
        return [what for what, least in LIMITS.items() if self.all.percent(what) < least]


def readReasons(text):
    """[(reason, {(file, text of the line)})]: see the head of reasons.txt."""
    groups = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            groups.append((line.strip(), set()))
            continue
        file, colon, code = line.strip().partition(": ")
        if not groups or not colon:
            raise SystemExit(f"reasons.txt:{number}: neither a reason nor 'file: text of the line'")
        groups[-1][1].add((file, code.strip()))
    return groups


def sortByReason(missed, reasons):
    """([(reason, its part of missed)], what has no reason, reasons' lines that nothing needs)."""
    groups, left, unused = [], list(missed), []
    for reason, places in reasons:
        found = [one for one in left if (one[0], one[2]) in places]
        left = [one for one in left if one not in found]
        if found:
            groups.append((reason, found))
        unused += sorted(places - {(one[0], one[2]) for one in found})
    return groups, left, unused


def table(report):
    rows = ["| room | lines | run | branches | run |", "| --- | ---: | ---: | ---: | ---: |"]
    for name, tally in sorted(report.rooms.items()) + [("lib", report.all)]:
        rows.append(f"| {name} | {tally.lines} | {tally.cell('lines')} | {tally.branches} "
                    f"| {tally.cell('branches')} |")
    return rows


def places(found):
    """`File.cpp` 12, 40, `Other.cpp` 7 — wrapped by the caller."""
    byFile = collections.defaultdict(list)
    for file, number, _, _ in found:
        byFile[file.removeprefix("lib/")].append(str(number))
    return [f"`{file}` {', '.join(numbers)}" for file, numbers in sorted(byFile.items())]


def wrapped(head, pieces):
    lines, line = [], head
    for index, piece in enumerate(pieces):
        piece += "." if index + 1 == len(pieces) else ";"
        if len(line) + 1 + len(piece) > 100:
            lines.append(line)
            line = " "
        line += " " + piece
    return lines + [line]


def branchList(groups, left):
    rows = []
    for reason, found in groups:
        rows += wrappedText(f"- **{sum(one[3] for one in found)}**: {reason}")
        rows += wrapped(" ", places(found))
    if left:
        rows.append(f"- **{sum(one[3] for one in left)}** without a reason so far:")
        rows += wrapped(" ", places(left))
    return rows


def wrappedText(text, indent="  "):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 100:
            lines.append(line)
            line = indent
        line += (" " if line.strip() else "") + word
    return lines + [line]


INTRODUCTION = """\
`{command} COVERAGE='--page docs/reliability/coverage.md'` makes this page. g++ compiles the library
without optimisation and without assertions; its own tests (on epoll and on io_uring), nio-torture,
the simulations and the fuzzers' corpora run it. Tests of programs do not count.

gcovr counts without branches that only an exception takes (`--exclude-throw-branches`;
`tests/coverage/gcov.py` also marks those never reached) and without those on lines that have no code
(`--exclude-unreachable-branches`). The command fails below {lines:.0f} % of the lines or {branches:.0f} % of the branches of
`lib/`, and for a branch without a reason. {when}"""


def measuredWhen():
    """The numbers of lines are those of a commit: which?"""
    command = ["git", "-C", str(PROJECT), "rev-parse", "--short", "HEAD"]
    git = subprocess.run(command, capture_output=True, text=True, check=False)
    day = f"Measured on {datetime.date.today()}"
    if git.returncode != 0:
        return day + "."
    return f"{day}, commit {git.stdout.strip()}, which the line numbers are of."


def page(report, groups, left):
    missed = report.all.branches - report.all.branchesRun
    text = INTRODUCTION.format(command=COMMAND, when=measuredWhen(), **LIMITS)
    which = (f"The {missed} branches that no test takes, by reason, with their lines "
             "(`tests/coverage/reasons.txt` has the text of each):")
    rows = [HEADING, "", *text.splitlines(), "", *table(report), "", *wrappedText(which, ""), "",
            *branchList(groups, left)]
    return "\n".join(rows) + "\n"


def show(report, left, unused):
    print("\n".join(table(report)))
    for file, number, text, missed in left:
        print(f"{file}:{number}: {missed} branch(es) not run, no reason given: {text}")
    for file, text in unused:
        print(f"reasons.txt: nothing needs this any more: {file}: {text}")
    below = report.isBelowLimit()
    for what in below:
        print(f"lib: {report.all.cell(what)} of the {what}, at least {LIMITS[what]:.0f} % are wanted")
    if left:
        print(f"lib: {sum(one[3] for one in left)} branches have no reason in reasons.txt")
    return 1 if below or left else 0


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("coverage", type=pathlib.Path, help="gcovr's JSON")
    parser.add_argument("--page", type=pathlib.Path, help="is written anew")
    options = parser.parse_args()
    try:
        report = Report(json.loads(options.coverage.read_text()), PROJECT)
        reasons = readReasons((HERE / "reasons.txt").read_text())
    except (KeyError, TypeError):
        parser.error(f"{options.coverage} is not gcovr's JSON")
    except OSError as error:
        parser.error(error)
    except ValueError as error:
        parser.error(f"{options.coverage}: {error}")
    groups, left, unused = sortByReason(report.missed, reasons)
    if options.page:
        options.page.write_text(page(report, groups, left))
    return show(report, left, unused)


if __name__ == "__main__":
    sys.exit(main())
