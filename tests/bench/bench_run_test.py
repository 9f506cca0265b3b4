"""What is said against a run, how a load is asked for, how callgrind is read: not measured."""
import unittest
from pathlib import Path
from types import SimpleNamespace

import bench_run
import instructions
from bench_noise import TICKS, Judge, busy_seconds
from bench_plan import Case
from bench_run import Bench

STAT = """cpu  900 0 100 5000 0 0 0 0 0 0
cpu0 100 10 200 5000 7 1 2 3 50 0
cpu1 400 0 100 5000 0 0 0 0 0 0
intr 1 2 3
"""


def report(**more):
    whole = {
        "connections": {"asked": 5, "made": 5}, "errors": {"wrongAnswer": 0, "reset": 0},
        "exitCode": 0, "echoesPerSecond": 1000.0,
        "latencyMicroseconds": {"p50": 5.0, "p99": 9.0, "p99.9": 11.0},
        "dispatchers": [{"name": "load-1", "busy": 0.5}],
        "serverProcess": {
            "seconds": 2.0, "cpuSeconds": 1.0, "cpuMicrosecondsPerEcho": 5.0,
            "userMicrosecondsPerEcho": 1.0, "systemMicrosecondsPerEcho": 4.0, "threads": 2,
            "residentKib": {"before": 100, "after": 300},
            "privateDirtyKib": {"before": 10, "after": 60}},
    }
    return {**whole, **more}


class Noise(unittest.TestCase):
    def judge(self):
        judge = Judge("core-probe", (0, 1), foreign=0.15, near=200)
        for speed in (1.0, 1.0, 1.01, 1.02):
            judge.note({"speedA": speed, "speedB": speed})
        return judge

    def look(self, **more):
        return {"near": 50.0, "speedA": 1.0, "speedB": 1.0, **more}

    def test_a_calm_run_is_clean(self):
        self.assertEqual(self.judge().complaints(0.1, [self.look(), self.look(speedA=1.1)]), [])

    def test_other_work_far_cpus_and_a_shared_core_are_noticed(self):
        judge = self.judge()
        self.assertEqual(judge.complaints(0.2, []), ["others took 0.20 CPUs"])
        self.assertIn("far", judge.complaints(0, [self.look(near=320.0)])[0])
        self.assertEqual(judge.complaints(0, [self.look(speedB=2.0)]),
                         ["a CPU is at 50% of its speed"])

    def test_near_and_far_do_not_matter_where_nobody_asks(self):
        judge = Judge("core-probe", (0, 1), near=0)
        judge.note(self.look())
        self.assertEqual(judge.complaints(0, [self.look(near=900.0)]), [])

    def test_one_fast_look_is_no_measure_for_all_others(self):
        judge = self.judge()
        judge.note({"speedA": 0.5, "speedB": 0.5})
        self.assertEqual(judge.complaints(0, [self.look()]), [])

    def test_one_cpu_is_not_compared_with_itself(self):
        self.assertIsNone(Judge("core-probe", (0, 0)).look())

    def test_a_cpu_is_busy_for_whoever_it_works(self):
        ticks = 100 + 10 + 200 + 1 + 2 + 3
        self.assertAlmostEqual(busy_seconds(STAT, (0,)) * TICKS, ticks)
        self.assertGreater(busy_seconds(STAT, (0, 1)), busy_seconds(STAT, (0,)))


class Reports(unittest.TestCase):
    def trouble(self, kind="echo", **more):
        return bench_run.trouble_in(report(**more), Case(kind, 5))

    def test_a_good_one_is_no_trouble(self):
        self.assertIsNone(self.trouble())

    def test_wrong_answers_missing_connections_and_errors_are_trouble(self):
        self.assertIn("wrongAnswer", self.trouble(errors={"wrongAnswer": 3}))
        self.assertEqual(self.trouble(connections={"asked": 5, "made": 4}),
                         "4 of 5 connections were made")
        self.assertIn("'reset': 2", self.trouble(errors={"wrongAnswer": 0, "reset": 2}))
        self.assertIn("ended with 1", self.trouble(exitCode=1))
        self.assertIn("process", self.trouble(serverProcess=None))

    def test_silent_connections_answer_nothing(self):
        self.assertIsNone(self.trouble("idle", exitCode=1))

    def test_memory_is_what_was_added(self):
        figures = bench_run.figures_of(report())
        self.assertEqual(figures["privateKib"], 50)
        self.assertEqual(figures["residentKib"], 200)
        self.assertAlmostEqual(figures["serverBusy"], 0.5)


class Loads(unittest.TestCase):
    def command(self, kind, spin=(), **more):
        bench = Bench(Path("bin"), 0, 1, 1.0, 0.3, list(spin))
        running = SimpleNamespace(port=7007, pid=42, framing="raw")
        case = Case(kind, 1000, **more)
        return " ".join(bench_run.load_command(bench, case, running, "out"))

    def test_are_pinned_and_look_at_the_server(self):
        command = self.command("echo", size=4096, depth=16)
        self.assertTrue(command.startswith("taskset -c 1 bin/echo-client --port 7007"))
        for words in ("--server-pid 42", "--connections 1000", "--size 4096", "--pipeline 16"):
            self.assertIn(words, command)

    def test_what_takes_long_to_be_served_is_warmed_up_for_longer(self):
        self.assertIn("--warmup 0.33 ", self.command("echo"))
        self.assertIn("--warmup 0.50 ", self.command("echo", size=4096, depth=16))

    def test_each_kind_asks_in_its_own_way(self):
        self.assertIn("--lifetime 1msg --close rst", self.command("accept"))
        self.assertIn("--think 1000s", self.command("idle"))
        self.assertIn("--busy-poll 50us", self.command("spin", ["--busy-poll", "50us"]))
        self.assertNotIn("--busy-poll", self.command("echo", ["--busy-poll", "50us"]))

    def test_the_option_to_spin_is_found_in_the_help(self):
        help_text = "\n  --busy-poll TIME=0s   Look\n"
        self.assertEqual(bench_run.spin_options(help_text), ["--busy-poll", "50us"])
        self.assertEqual(bench_run.spin_options("\n  --port PORT\n"), [])


class Instructions(unittest.TestCase):
    ANNOTATED = """
10,000 (100.0%)  PROGRAM TOTALS

Ir
6,000 (60.0%)  /src/lib/Loop.cpp:nio::Loop::turn(std::function<void (int)>) [/bin/server]
1,000 (10.0%)  /src/lib/List.h:nio::Loop::turn(std::function<void (int)>) [/bin/server]
3,000 (30.0%)  ???:recv'2 [/lib/libc.so]
"""

    def test_functions_are_told_by_file_and_name(self):
        total, functions = instructions.parse_annotation(self.ANNOTATED)
        self.assertEqual(total, 10_000)
        self.assertEqual(functions, {"Loop.cpp: nio::Loop::turn": 6000,
                                     "List.h: nio::Loop::turn": 1000, "recv": 3000})

    def test_an_echo_is_the_difference_of_two_runs(self):
        few = (1000, {"a": 100, "b": 900})
        many = (3000, {"a": 1600, "b": 900, "c": 500})
        each, functions = instructions.per_echo(few, many, 10)
        self.assertEqual(each, 200)
        self.assertEqual([(f["name"], f["perEcho"]) for f in functions],
                         [("a", 150.0), ("c", 50.0)])

    def test_callees_are_found_by_the_numbers_of_their_names(self):
        written = """fl=(1) /src/lib/Loop.cpp
fn=(1) nio::Loop::turn()
cfi=(2) /src/lib/Queue.h
cfn=(2) nio::Queue::empty() const
calls=3 12
7 30
cfn=(3) nio::Loop::wait()'2
calls=1 4
8 20
cfi=(2)
cfn=(2)
calls=2 12
9 20
"""
        calls = instructions.calls_of(written.splitlines())
        self.assertEqual(calls, {("/src/lib/Queue.h", "nio::Queue::empty() const"): 5,
                                 ("/src/lib/Loop.cpp", "nio::Loop::wait()"): 1})

    def test_the_path_leaves_out_start_up_and_other_libraries(self):
        few = {("/src/lib/A.h", "start"): 1, ("/src/lib/A.h", "read"): 10}
        many = {("/src/lib/A.h", "start"): 1, ("/src/lib/A.h", "read"): 30,
                ("/src/lib/A.h", "turn"): 1, ("/usr/include/span", "size"): 40}
        self.assertEqual(instructions.path_of(few, many, 10, "/src"),
                         {("/src/lib/A.h", "read"): 2.0, ("/src/lib/A.h", "turn"): 0.1})
        self.assertIn("2 functions (1 of them only once per turn of the loop), 2 calls, 1 files",
                      instructions.summary_of_path("nio", instructions.path_of(
                          few, many, 10, "/src"))[1])


if __name__ == "__main__":
    unittest.main()
