#!/usr/bin/env python3
"""Tests of .ci/deps, with a PATH of stand-ins: sudo and apt-get only log how they were called.

    deps_test.py PROJECT

The stand-in for apt-get "installs" ninja, the one program that is missing.
"""
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = sys.argv.pop(1)
TOOLS = ["sh", "sed", "sort", "tr", "find", "mkdir", "touch", "env", "true", "chmod"]
STAND_INS = {
    "id": 'echo "$TEST_USER"',
    "c++": "exit 0",  # every header is there
    "cmake": "echo cmake version 3.25.1",
    "sudo": 'echo "sudo $*" >>"$TEST_LOG"; [ "$1" != -n ] || shift\n'
            '[ -z "$TEST_REFUSE" ] || exit 1\n'
            'exec "$@"',
    "apt-get": 'echo "apt-get $*" >>"$TEST_LOG"; [ "$1" = update ] && exit 0\n'
               'echo >"$TEST_BIN/ninja"; chmod +x "$TEST_BIN/ninja"',
}
MISSING = "nio: missing: ninja-build; "
QUESTION = MISSING + "install with sudo apt-get? [y/N] "
BY_HAND = "install with: sudo apt-get install -y --no-install-recommends ninja-build\n"


class DepsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin = os.path.join(self.folder, "bin")
        self.log = os.path.join(self.folder, "log")
        os.makedirs(self.bin)
        os.makedirs(os.path.join(self.folder, ".ci"))
        self.deps = shutil.copy(os.path.join(PROJECT, ".ci", "deps"),
                                os.path.join(self.folder, ".ci"))
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        for name, script in STAND_INS.items():
            path = os.path.join(self.bin, name)
            with open(path, "w") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(path, 0o755)

    def run_deps(self, user, answer=None, refuse=""):
        """Runs `.ci/deps demo`, on a terminal if there is an answer: (exit code, stderr, calls)."""
        environment = {"PATH": self.bin, "TEST_BIN": self.bin, "TEST_LOG": self.log,
                       "TEST_USER": user, "TEST_REFUSE": refuse}
        if answer is None:
            run = subprocess.run([self.deps, "demo"], env=environment, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, timeout=600)
        else:
            terminal, stdin = pty.openpty()
            os.write(terminal, answer)
            run = subprocess.run([self.deps, "demo"], env=environment, stdin=stdin,
                                 capture_output=True, text=True, timeout=600)
            os.close(stdin)
            os.close(terminal)
        self.assertEqual(run.stdout, "")
        calls = ""
        if os.path.exists(self.log):
            with open(self.log) as file:
                calls = file.read()
        return run.returncode, run.stderr, calls

    def test_asks_on_a_terminal_and_installs_on_yes(self):
        code, stderr, calls = self.run_deps("1000", b"yes\n")
        self.assertEqual(stderr, QUESTION + MISSING + "installing with apt-get ...\n")
        self.assertEqual(code, 0)
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y "
                      "--no-install-recommends ninja-build\n", calls)
        self.assertNotIn("sudo -n", calls)

    def test_does_not_touch_sudo_on_any_other_answer(self):
        for answer in b"n\n", b"\n", b"certainly\n", b"\x04":
            with self.subTest(answer=answer):
                code, stderr, calls = self.run_deps("1000", answer)
                self.assertEqual(code, 1)
                self.assertTrue(stderr.startswith(QUESTION), stderr)
                self.assertTrue(stderr.endswith(MISSING + "nothing was installed; " + BY_HAND),
                                stderr)
                self.assertEqual(calls, "")

    def test_without_a_terminal_sudo_must_not_prompt(self):
        code, stderr, calls = self.run_deps("1000")
        self.assertEqual((code, stderr), (0, MISSING + "installing with apt-get ...\n"))
        for line in calls.splitlines():
            if line.startswith("sudo "):
                self.assertTrue(line.startswith("sudo -n "), line)

    def test_without_a_terminal_a_refusal_says_what_to_install(self):
        code, stderr, calls = self.run_deps("1000", refuse="yes")
        self.assertEqual((code, stderr, calls), (1, MISSING + BY_HAND, "sudo -n true\n"))

    def test_root_is_not_asked(self):
        for answer in None, b"n\n":
            with self.subTest(terminal=answer is not None):
                code, stderr, calls = self.run_deps("0", answer)
                self.assertEqual((code, stderr), (0, MISSING + "installing with apt-get ...\n"))
                self.assertNotIn("sudo", calls)
            os.remove(os.path.join(self.bin, "ninja"))

    def test_is_silent_when_nothing_is_missing(self):
        shutil.copy(os.path.join(self.bin, "c++"), os.path.join(self.bin, "ninja"))
        self.assertEqual(self.run_deps("1000", b"n\n"), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
