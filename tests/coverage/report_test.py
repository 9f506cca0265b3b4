#!/usr/bin/env python3
"""Tests of report.py."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gcov  # noqa: E402
import report  # noqa: E402

SOURCE = "int f(bool a) {\n    if (a) return 1;\n    if (a) return 2;\n    return 3;\n}\n"


def line(number, count, *branches):
    return {"line_number": number, "count": count, "gcovr/noncode": False,
            "branches": [{"count": one} for one in branches]}


def reportOf(lines, file="lib/nio/base/F.cpp"):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / file
        path.parent.mkdir(parents=True)
        path.write_text(SOURCE)
        return report.Report({"files": [{"file": file, "lines": lines}]}, pathlib.Path(folder))


class ReportTest(unittest.TestCase):
    def test_counts_lines_and_branches_by_room(self):
        found = reportOf([line(1, 4), line(2, 4, 4, 0), line(4, 0)])
        self.assertEqual(vars(found.rooms["lib/nio/base"]),
                         {"lines": 3, "linesRun": 2, "branches": 2, "branchesRun": 1})
        self.assertEqual(found.missed, [("lib/nio/base/F.cpp", 2, "if (a) return 1;", 1)])

    def test_looks_at_the_library_only(self):
        self.assertEqual(reportOf([line(2, 4, 4, 0)], "tests/F.cpp").missed, [])

    def test_is_below_the_limit_of_lines_or_of_branches(self):
        self.assertEqual(reportOf([line(2, 1, 1, 1)]).isBelowLimit(), [])
        self.assertEqual(reportOf([line(2, 1, 1, 0)]).isBelowLimit(), ["branches"])
        self.assertEqual(reportOf([line(2, 0)]).isBelowLimit(), ["lines"])


class ReasonTest(unittest.TestCase):
    reasons = report.readReasons("# how\nNobody can.\n    lib/F.cpp: if (a: b)\n"
                                 "\nNobody may.\n    lib/G.cpp: if (c)\n")

    def test_a_branch_goes_to_the_reason_of_its_line(self):
        missed = [("lib/F.cpp", 7, "if (a: b)", 2), ("lib/F.cpp", 9, "if (new)", 1)]
        groups, left, unused = report.sortByReason(missed, self.reasons)
        self.assertEqual(groups, [("Nobody can.", missed[:1])])
        self.assertEqual(left, missed[1:])
        self.assertEqual(unused, [("lib/G.cpp", "if (c)")])

    def test_a_branch_without_a_reason_is_a_failure(self):
        found, said = reportOf([line(2, 4, 4, 4)]), io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(report.show(found, [], [("lib/G.cpp", "if (c)")]), 0)
            self.assertEqual(report.show(found, [("lib/G.cpp", 7, "if (d)", 1)], []), 1)
        self.assertIn("lib/G.cpp:7: 1 branch(es) not run, no reason given: if (d)", said.getvalue())

    def test_a_line_without_a_file_is_no_reason(self):
        with self.assertRaises(SystemExit):
            report.readReasons("Nobody can.\n    if (a)\n")

    def test_each_group_says_how_many_and_where(self):
        rows = report.branchList([("Nobody can.", [("lib/F.cpp", 7, "", 2), ("lib/F.cpp", 9, "", 1)])],
                                 [("lib/G.cpp", 1, "", 4)])
        self.assertEqual(rows, ["- **3**: Nobody can.", "  `F.cpp` 7, 9.",
                                "- **4** without a reason so far:", "  `G.cpp` 1."])


def branch(count, throw=False):
    return {"count": count, "fallthrough": False, "throw": throw}


class GcovTest(unittest.TestCase):
    never = ["        -:    0:Source:F.h", "    #####:    7:    f();", "call    0 never executed",
             "branch  1 never executed", "branch  2 never executed"]
    once = ["        1:    7:    f();", "branch  0 taken 1 (fallthrough)",
            "branch  1 taken 0 (throw)"]

    def test_a_branch_never_reached_that_only_an_exception_takes_is_marked(self):
        lines = [{"line_number": 7, "branches": [branch(0), branch(0, throw=True)]}]
        self.assertEqual(gcov.marked(self.never, lines)[3:],
                         ["branch 0 never executed", "branch 2 taken 0 (throw)"])

    def test_each_instance_of_a_template_gets_its_own_marks(self):
        lines = [{"line_number": 7, "branches": [branch(1), branch(0, throw=True)]},
                 {"line_number": 7, "branches": [branch(0, throw=True), branch(0)]}]
        self.assertEqual([one for one in gcov.marked(self.never + self.once, lines)
                          if one.startswith("branch")],
                         ["branch 2 taken 0 (throw)", "branch 0 never executed",
                          "branch 0 taken 1 (fallthrough)", "branch 2 taken 0 (throw)"])

    def test_what_the_json_does_not_know_stays_as_it_is(self):
        lines = [{"line_number": 7, "branches": [branch(3), branch(0, throw=True)]}]
        self.assertEqual(gcov.marked(self.never, lines), self.never)


class PageTest(unittest.TestCase):
    def test_has_the_table_and_each_missed_branch(self):
        found = reportOf([line(1, 4), line(2, 4, 4, 0)])
        text = report.page(found, [("Nobody can.", found.missed)], [])
        self.assertTrue(text.startswith(report.HEADING + "\n\n`make coverage"))
        for words in ("| lib/nio/base | 2 | 100.0 % | 2 | 50.0 % |", "- **1**: Nobody can."):
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
