#!/usr/bin/env python3
"""That the checks of tests/hostility notice what is wrong, and that the page keeps what is not its."""
import json
import tempfile
import unittest
from pathlib import Path

import hostility
import hostility_page
from beside import latency_rows
from descriptors import FREED, rows_of
from drains import REPORT, mistakes_in
from numbered import Account, NumberedClient, stream

GOOD_LINE = "echo-server stopped: 2 connections drained, 0 aborted, 0 bytes lost"


def client(number=1):
    made = NumberedClient.__new__(NumberedClient)
    made.number, made.account = number, Account()
    return made


def drain(account, line=GOOD_LINE, code=0):
    return mistakes_in([account], 10.0, code, REPORT.search(line))


def legs(alone, attacked, valid=True):
    return {leg: {"p99": p99, "lateP99": 1.0, "loadBusy": 0.1, "valid": valid}
            for leg, p99 in (("alone", alone), ("attacked", attacked), ("elsewhere", alone))}


class Stream(unittest.TestCase):
    def test_is_the_same_in_any_pieces(self):
        whole = stream(3, 0, 100)
        self.assertEqual(whole, b"".join(stream(3, at, 7) for at in range(0, 98, 7)) + whole[98:])

    def test_differs_between_clients(self):
        self.assertNotEqual(stream(1, 0, 16), stream(2, 0, 16))

    def test_a_lost_byte_is_noticed(self):
        peer = client()
        peer.check(stream(1, 0, 20) + stream(1, 21, 20))
        self.assertIsNotNone(peer.account.wrong_at)

    def test_a_piece_that_comes_twice_is_noticed(self):
        peer = client()
        peer.check(stream(1, 0, 64))
        peer.check(stream(1, 32, 32))
        # The upper bytes of the number there and of the one that came are the same.
        self.assertEqual(peer.account.wrong_at, 64 + 7)

    def test_the_right_bytes_are_not_complained_about(self):
        peer = client()
        for at in range(0, 900, 9):
            peer.check(stream(1, at, 9))
        self.assertIsNone(peer.account.wrong_at)


class Drain(unittest.TestCase):
    def test_an_exact_prefix_and_fin_are_right(self):
        self.assertEqual(drain(Account(sent=9, received=4, fin=True),
                               GOOD_LINE + ", 5 bytes unread"), [])

    def test_each_mistake_is_named(self):
        for account, words in (
                (Account(sent=9, received=9, reset=True), "RST"),
                (Account(sent=9, received=9), "no FIN"),
                (Account(sent=9, received=9, fin=True, wrong_at=4), "byte 4"),
                (Account(sent=9, received=8, fin=True, said_all_at=9.0), "1 missing"),
                (Account(sent=9, received=8, fin=True), "9 bytes sent, 8 came back")):
            self.assertIn(words, "; ".join(drain(account)))

    def test_who_said_fin_after_the_signal_may_be_cut_off(self):
        late = Account(sent=9, received=8, fin=True, said_all_at=11.0)
        self.assertEqual(drain(late, GOOD_LINE + ", 1 bytes unread"), [])

    def test_the_servers_end_is_looked_at(self):
        good = Account(sent=9, received=9, fin=True)
        self.assertIn("exit code 1", drain(good, code=1))
        self.assertIn("the last line is not a report", drain(good, "killed"))
        self.assertIn("1 aborted, 7 bytes lost",
                      drain(good, GOOD_LINE.replace("0 aborted, 0", "1 aborted, 7")))


class Latency(unittest.TestCase):
    def test_a_ratio_over_the_target_misses_it(self):
        self.assertTrue(latency_rows([legs(100, 119)] * 3, "some", 1.2, "")[0].met)
        self.assertFalse(latency_rows([legs(100, 121)] * 3, "some", 1.2, "")[0].met)

    def test_a_load_that_was_late_proves_nothing(self):
        rows = latency_rows([legs(100, 90, False)] * 3, "some", 1.2, "")
        self.assertIsNone(rows[0].met)
        self.assertFalse(hostility.holds({"trouble": None, "rows": [vars(row) for row in rows]}))


class Descriptors(unittest.TestCase):
    def test_who_waits_and_is_turned_away_all_the_same_is_noticed(self):
        for answered, met in ((154, True), (153, False)):
            run = {"allSeconds": 0.1, "cpuPercent": 0, "served": True, "turnedAway": 0,
                   "wantedInTheEnd": 154, "answeredInTheEnd": answered}
            rows = rows_of(hostility.Setting(Path(), True, 1, 1, 1, 0, 0, "auto"), "so", [run])
            self.assertEqual([row.met for row in rows if f"{FREED} had gone" in row.what], [met])


HOST = {"cpus": 2, "cpuModel": "some", "kernel": "6", "memoryKib": 1, "loadAverageBefore": 0}


def record_of(scenario, measured, selector="auto", only="", **more):
    words = f"make hostility HOSTILITY_ARGS='--only {only or scenario}'"
    row = {"what": scenario, "asked": "all", "measured": measured, "met": True}
    return {"scenario": scenario, "selector": selector, "date": "2004-01-01", "command": words,
            "host": HOST, "trouble": None, "rows": [row], **more}


def page_of(*records, before=""):
    """As it is made of a file with these."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "hostility.jsonl"
        file.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
        return hostility_page.part(hostility_page.read(file), before)


class Page(unittest.TestCase):
    def test_what_others_wrote_stays(self):
        with tempfile.TemporaryDirectory() as directory:
            docs = Path(directory)
            page = docs / hostility_page.PAGE
            page.parent.mkdir()
            page.write_text("# Reliability\n\n## Before\n", encoding="utf-8")
            hostility_page.write(docs, {})
            page.write_text(page.read_text(encoding="utf-8") + "\n## Behind\n", encoding="utf-8")
            once = page.read_text(encoding="utf-8")
            hostility_page.write(docs, {})
            self.assertEqual(once, page.read_text(encoding="utf-8"))
        self.assertTrue(once.startswith("# Reliability\n\n## Before\n"))
        self.assertTrue(once.endswith("\n## Behind\n"))

    def test_each_selector_has_its_figures_and_the_last_count(self):
        text = page_of(*(record_of("drains", measured, selector) for selector, measured in
                         (("epoll", "17"), ("uring", "18"), ("epoll", "19"))))
        for measured, times in (("17", 0), ("18", 1), ("19", 1)):
            self.assertEqual(text.count(f"| {measured} |"), times)

    def test_what_is_not_measured_anew_stays_as_it_stands(self):
        both = "flood,drains"
        before = page_of(record_of("flood", "17", only=both), record_of("drains", "18", only=both),
                         record_of("drains", "19", "uring")).replace("The flood is", "A flood was")
        after = page_of(record_of("drains", "20"), before=before)
        for words, times in (("| 17 |", 1), ("| 18 |", 0), ("| 19 |", 1), ("| 20 |", 1),
                             ("A flood was", 1), (f"--only {both}'", 1), ("--only drains'", 1)):
            self.assertEqual(after.count(words), times, words)
        self.assertEqual(page_of(record_of("drains", "20"), before=after), after)
        self.assertNotIn(both, page_of(record_of("flood", "21"), before=after))

    def test_a_quick_record_is_not_published(self):
        text = page_of(record_of("drains", "17"), record_of("drains", "18", quick=True))
        self.assertIn("| 17 |", text)
        self.assertNotIn("| 18 |", text)

    def test_the_commit_is_said_where_it_is_known(self):
        self.assertIn("2004-01-01, commit abc-dirty, `make",
                      page_of(record_of("drains", "17", commit="abc-dirty")))
        self.assertIn("2004-01-01, `make", page_of(record_of("drains", "17", commit=None)))


if __name__ == "__main__":
    unittest.main()
