#!/usr/bin/env python3
"""That the checks of tests/hostility notice what is wrong, and that the page keeps what is not its."""
import json
import tempfile
import unittest
from pathlib import Path

import hostility
import hostility_page
from beside import latency_rows
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


class Page(unittest.TestCase):
    def test_what_others_wrote_stays(self):
        with tempfile.TemporaryDirectory() as directory:
            docs = Path(directory)
            page = docs / hostility_page.PAGE
            page.write_text("# Reliability\n\n## Before\n", encoding="utf-8")
            hostility_page.write(docs, {})
            page.write_text(page.read_text(encoding="utf-8") + "\n## Behind\n", encoding="utf-8")
            once = page.read_text(encoding="utf-8")
            hostility_page.write(docs, {})
            self.assertEqual(once, page.read_text(encoding="utf-8"))
        self.assertTrue(once.startswith("# Reliability\n\n## Before\n"))
        self.assertTrue(once.endswith("\n## Behind\n"))

    def test_each_selector_has_its_figures_and_the_last_count(self):
        host = {"cpus": 2, "cpuModel": "some", "kernel": "6", "memoryKib": 1, "loadAverageBefore": 0}
        row = {"what": "drains", "asked": "all", "met": True}
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "hostility.jsonl"
            with file.open("w", encoding="utf-8") as lines:
                for selector, measured in (("epoll", "17"), ("uring", "18"), ("epoll", "19")):
                    record = {"scenario": "drains", "selector": selector, "date": "then",
                              "command": "c", "host": host, "trouble": None,
                              "rows": [dict(row, measured=measured)]}
                    lines.write(json.dumps(record) + "\n")
            text = hostility_page.part(hostility_page.read(file))
        for measured, times in (("17", 0), ("18", 1), ("19", 1)):
            self.assertEqual(text.count(f"| {measured} |"), times)


if __name__ == "__main__":
    unittest.main()
