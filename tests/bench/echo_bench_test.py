"""What becomes of raw runs: medians, ratios, targets, tables, plots. Nothing is measured."""
import json
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import bench_check
import bench_page
import bench_plan
import bench_plots
import bench_targets
from bench_data import Journal, Results, read
from bench_samples import run, session, some_rounds

SVG = "{http://www.w3.org/2000/svg}"


class Ratios(unittest.TestCase):
    def only_case(self, results):
        return results.cases("echo")[0]

    def test_are_medians_of_the_ratios_of_each_round(self):
        results = Results(some_rounds())
        ratio = results.ratio(self.only_case(results), "nio-epoll")
        self.assertAlmostEqual(ratio.value, 1.01)
        self.assertAlmostEqual(ratio.low, 1.00)
        self.assertAlmostEqual(ratio.high, 1.02)
        self.assertTrue(ratio.trusted)

    def test_leave_out_rounds_of_which_one_side_was_disturbed(self):
        records = some_rounds()
        records.append(run("epoll", 4, 1.0, clean=False))
        records.append(run("nio-epoll", 4, 9.0))
        results = Results(records)
        self.assertEqual(len(results.ratio(self.only_case(results), "nio-epoll").values), 3)

    def test_are_marked_where_too_few_rounds_were_clean(self):
        results = Results([session(), run("epoll", 1, 5, False), run("libuv", 1, 6)])
        ratio = results.ratio(self.only_case(results), "libuv")
        self.assertFalse(ratio.trusted)
        self.assertAlmostEqual(ratio.value, 1.2)

    def test_take_the_last_attempt_at_a_round(self):
        records = [session(), run("epoll", 1, 5), run("libuv", 1, 50, False), run("libuv", 1, 5)]
        results = Results(records)
        self.assertEqual(results.clean(self.only_case(results), "libuv"), (1, 1))
        self.assertAlmostEqual(results.ratio(self.only_case(results), "libuv").value, 1.0)

    def test_user_time_is_a_mean_since_it_comes_in_ticks(self):
        records = [session(), *(run("epoll", number, 5, user=user)
                                for number, user in ((1, 0.0), (2, 0.0), (3, 0.3)))]
        results = Results(records)
        self.assertAlmostEqual(results.median(self.only_case(results), "epoll", "user").value, 0.1)

    def test_are_not_there_where_the_base_is_not(self):
        results = Results([session(), run("libuv", 1, 5)])
        self.assertIsNone(results.ratio(self.only_case(results), "libuv"))


class Files(unittest.TestCase):
    def test_keep_what_was_written_when_the_last_line_is_cut_off(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "deep" / "runs.jsonl"
            Journal(path).add(type="session", session="s")
            with open(path, "a", encoding="utf-8") as file:
                file.write('{"type": "ru')
            self.assertEqual(read([path]), [{"type": "session", "session": "s"}])


class Plan(unittest.TestCase):
    def names(self, steps):
        return [(step.server.name, step.round) for step in steps]

    def test_servers_take_turns_after_each_was_warmed_up(self):
        servers = bench_plan.every_server("bin")[:2]
        steps = bench_plan.steps_of(bench_plan.parse_cells("50:64:1"), servers, 2)
        self.assertEqual(self.names(steps), [
            ("epoll", 0), ("epoll-fair", 0), ("epoll", 1), ("epoll-fair", 1), ("epoll", 2),
            ("epoll-fair", 2)])

    def test_the_cells_of_the_targets_are_all_there(self):
        cells = {(c.connections, c.size, c.depth) for c in bench_plan.all_cells()}
        self.assertEqual(len(cells), 16)
        main = {(c.connections, c.size, c.depth) for c in bench_plan.main_cells()}
        self.assertTrue(main <= cells)

    def test_few_servers_take_part_in_the_cells_beside_the_comparison(self):
        servers = bench_plan.every_server("bin")
        names = {s.server.name for s in bench_plan.steps_of(bench_plan.all_cells(), servers, 1)
                 if s.case == bench_plan.Case("echo", 1000, 4096, 16)}
        self.assertEqual(names, set(bench_plan.OF_ALL_CELLS))

    def test_a_thread_for_each_of_very_many_clients_is_not_tried(self):
        threads = next(s for s in bench_plan.every_server("bin") if s.name == "threads")
        self.assertFalse(bench_plan.takes_part(threads, bench_plan.Case("echo", 19_000)))
        self.assertTrue(bench_plan.takes_part(threads, bench_plan.Case("echo", 10_000)))

    def test_names_of_servers_are_different(self):
        names = [server.name for server in bench_plan.every_server("bin")]
        self.assertEqual(len(names), len(set(names)))


class Targets(unittest.TestCase):
    def outcome(self, records, **target):
        return bench_targets.outcomes(Results(records), [{"id": "1", "text": "t", **target}])[0]

    def ratio(self, records, at_most):
        return self.outcome(records, measure="ratio", kind="echo", server="nio-epoll", figure="cpu",
                            atMost=at_most)

    def test_a_target_is_met_or_missed(self):
        self.assertEqual(self.ratio(some_rounds(), 1.02).met(), 1)
        self.assertEqual(self.ratio(some_rounds(), 1.00).met(), 0)
        self.assertIsNone(self.ratio([session()], 1.00).met())

    def test_the_worst_cell_is_told_with_its_best_peer(self):
        records = some_rounds() + [
            run(name, number, cpu, connections=1000) for number in (1, 2)
            for name, cpu in (("epoll", 5.0), ("libuv", 6.0), ("nio-epoll", 10.0))]
        worst = self.ratio(records, 1.02).worst()
        self.assertEqual(worst.case.connections, 1000)
        self.assertAlmostEqual(worst.value, 2.0)
        self.assertEqual(worst.peer, "<libuv>: 1.20")

    def test_a_bare_loop_is_no_peer(self):
        results = Results(some_rounds())
        self.assertEqual(bench_targets.peers_of(results, results.cases("echo")[0]), ["libuv"])

    def test_memory_is_that_of_a_connection(self):
        records = [session(), run("nio-epoll", 1, 0, kind="idle", connections=1000, privateKib=250)]
        outcome = self.outcome(records, measure="memory", kind="idle", server="nio-epoll",
                               atMost=0.25)
        self.assertAlmostEqual(outcome.worst().value, 0.25)
        self.assertEqual(outcome.met(), 1)

    def test_dispatchers_are_compared_with_one(self):
        records = [session(), run("nio-epoll", 1, 5, kind="scale"),
                   run("nio-epoll", 1, 6, kind="scale", threads=4)]
        outcome = self.outcome(records, measure="dispatchers", kind="scale", server="nio-epoll",
                               figure="cpu", atMost=1.05)
        self.assertAlmostEqual(outcome.worst().value, 1.2)

    def test_a_figure_that_should_be_high_is_worst_where_it_is_lowest(self):
        records = [session(), run("epoll", 1, 5, kind="curve", perSecond=100.0),
                   run("nio-epoll", 1, 5, kind="curve", perSecond=90.0)]
        outcome = self.outcome(records, measure="ratio", kind="curve", server="nio-epoll",
                               figure="perSecond", atLeast=0.97)
        self.assertAlmostEqual(outcome.worst().value, 0.9)
        self.assertEqual(outcome.met(), 0)

    def test_a_hand_off_is_judged_by_its_own_program(self):
        def line(queue, producers, cost):
            return {"queue": queue, "pattern": "steady", "producers": producers, "together_ns": cost,
                    "together_least_ns": cost - 1, "together_most_ns": cost + 1, "wall_ns": cost}
        handed = [line("nio", 1, 20.0), line("nio", 4, 40.0), line("uv_async_send", 4, 55.0)]
        outcome = next(o for o in bench_targets.outcomes(Results([session()]), handed=handed)
                       if o.target["id"] == "4")
        self.assertEqual(outcome.met(), 1)
        self.assertEqual(outcome.worst().value, 40.0)
        self.assertEqual(outcome.worst().peer, "uv_async_send: 55.00")
        text = bench_page.page(Results([session()], handed), Path("no"))
        self.assertIn("40.00 (39.00–41.00) at steady, producers: 4", text)

    def test_what_was_counted_is_judged_by_its_figure(self):
        counted = [{"name": "raw", "lockedPerTurn": 2.0, "lockedPerEvent": 0.0},
                   {"name": "line", "lockedPerTurn": 2.0, "lockedPerEvent": 0.5},
                   {"name": "50 connections", "recovered_s": 0.25, "counts": [26, 24]}]
        met = {o.target["id"]: o.met()
               for o in bench_targets.outcomes(Results([session()]), counted=counted)}
        self.assertEqual((met["8"], met["9"]), (1, 1))
        text = bench_page.page(Results([session()], counted=counted), Path("no"))
        self.assertIn("| line | 2 | 0.5 |", text)
        self.assertIn("| 50 connections | 0.25 | 26 / 24 |", text)

    def test_connections_that_are_never_spread_miss_their_target(self):
        counted = [json.loads('{"name": "50 connections", "recovered_s": Infinity, '
                              '"counts": [50, 0]}')]
        outcome = next(o for o in bench_targets.outcomes(Results([session()]), counted=counted)
                       if o.target["id"] == "9")
        self.assertEqual(outcome.met(), 0)
        text = bench_page.page(Results([session()], counted=counted), Path("no"))
        self.assertIn("| 50 connections | not in its time | 50 / 0 |", text)

    def test_the_targets_of_the_file_can_all_be_judged(self):
        kinds = {"echo", "idle", "spin", "accept", "curve", "scale"}
        for target in bench_targets.load():
            if target["measure"] not in ("hand-off", "counted"):
                self.assertIn(target["measure"], bench_targets.WAYS)
                self.assertIn(target["kind"], kinds)
            self.assertNotEqual("atMost" in target, "atLeast" in target)


class Page(unittest.TestCase):
    def everything(self):
        records = some_rounds()
        for kind in ("accept", "idle", "curve", "scale", "spin"):
            records += some_rounds(kind=kind)[1:] + some_rounds(kind=kind, threads=4)[1:]
        return Results(records + [run("epoll", 1, 5, kind="curve", connections=100)])

    def test_has_a_part_for_everything_that_was_measured(self):
        text = bench_page.page(self.everything(), Path("nowhere"))
        for title, _ in bench_page.SECTIONS:
            self.assertIn(f"## {title}\n", text)
        self.assertIn("| **<nio-epoll>** | 1.01 (1.00–1.02) |", text)
        self.assertIn("| bare epoll, µs per echo | 5.500 |", text)

    def test_shows_a_missed_target_as_missed(self):
        text = bench_page.page(Results(some_rounds(connections=1000)), Path("no"))
        self.assertIn("| met |", text)
        self.assertIn("not measured", text)
        worse = [session()] + [run(name, n, cpu) for n in (1, 2)
                               for name, cpu in (("epoll", 5.0), ("nio-epoll", 9.0))]
        self.assertIn("**missed**", bench_page.page(Results(worse), Path("no")))

    def test_tells_who_took_no_part(self):
        text = bench_page.page(Results([session(refused=["nio-uring"]), run("epoll", 1, 5)]),
                               Path("no"))
        self.assertIn("Took no part: <nio-uring> (no ring).", text)

    def test_explains_instructions_by_what_they_are_for(self):
        functions = [{"name": "Kernel.cpp: nio::kernel::send", "perEcho": 12.0},
                     {"name": "ThreadRole.h: nio::StreamHandler::settle", "perEcho": 4.0},
                     {"name": "who.cpp: knows", "perEcho": 3.0}]
        server = {"label": "ours", "perEcho": [30.0, 20.0], "functions": functions}
        lines = bench_page.instructions({"size": 64, "connections": [1, 50], "echoes": 10,
                                         "servers": [server]})
        sums = {line.split(" | ")[0][2:]: line.rsplit("|", 2)[1].strip() for line in lines
                if line.startswith("| the ")}
        self.assertEqual(sums["the calls"], "12")
        self.assertEqual(sums["the rule"], "4")
        self.assertEqual(sums["the rest"], "4")
        self.assertIn("| `Kernel.cpp: nio::kernel::send` | 12.0 |", lines)

    def test_shows_what_other_programs_left(self):
        benchmarks = {"benchmarks": [{"name": "Post", "cpu_time": 2.5, "time_unit": "us",
                                      "iterations": 1000}]}
        self.assertIn("| `Post` | 2,500.0 | 1,000 |", bench_page.inside(benchmarks))
        handed = bench_page.hand_off([{"name": "post", "ns": 12.5}, {"name": "wait", "runs": 3}])
        self.assertIn("| post | 12.5 | – |", handed)


class Pictures(unittest.TestCase):
    def parsed(self, records):
        return {name: ElementTree.fromstring(text)
                for name, text in bench_plots.pictures(Results(records)).items()}

    def titles(self, svg):
        return [title.text for title in svg.iter(f"{SVG}title")]

    def test_every_server_has_a_mark_that_tells_its_figure_and_its_spread(self):
        found = self.parsed(some_rounds())
        self.assertEqual(sorted(found), ["cpu.svg", "latency.svg"])
        self.assertIn("<nio-epoll>, 50 × 64 B: 1.010 (1.000 to 1.020, 3 rounds)",
                      self.titles(found["cpu.svg"]))
        self.assertEqual(len(self.titles(found["latency.svg"])), 6)

    def test_the_curve_has_error_bars(self):
        records = some_rounds(kind="curve") + some_rounds(kind="curve", connections=1000)[1:]
        svg = self.parsed(records)["curve.svg"]
        bars = [path for path in svg.iter(f"{SVG}path") if "whisker" in path.get("class")]
        self.assertEqual(len(bars), 2 * 3 * 2)

    def test_what_is_far_outside_is_told_in_words(self):
        svg = self.parsed([session(), run("epoll", 1, 5), run("libuv", 1, 20)])
        texts = [text.text for text in svg["cpu.svg"].iter(f"{SVG}text")]
        self.assertIn("4.00 →", texts)

    def test_nothing_measured_is_no_picture(self):
        self.assertEqual(self.parsed([session()]), {})


class Check(unittest.TestCase):
    def troubles(self, *records):
        return list(bench_check.troubles(Results(list(records))))

    def whole(self):
        return [session("epoll", "nio-epoll"), run("epoll", 1, 5), run("nio-epoll", 1, 5)]

    def test_finds_nothing_where_all_is_there(self):
        self.assertEqual(self.troubles(*self.whole()), [])

    def test_misses_a_server_a_mode_and_a_figure(self):
        self.assertTrue(self.troubles())
        self.assertIn("epoll was not measured", self.troubles(session("epoll", "nio-epoll"),
                                                              run("nio-epoll", 1, 5)))
        modes = session("epoll", "nio-epoll", modes=("echo", "accept"))
        self.assertIn("there is no run of accept", self.troubles(modes, *self.whole()[1:]))
        self.assertTrue(self.troubles(*self.whole(), run("epoll", 2, 5, p99=None)))
        self.assertTrue(self.troubles(*self.whole(), run("epoll", 2, 5, perSecond=0)))

    def test_tells_of_every_gap(self):
        gap = {**run("epoll", 1, 5), "type": "gap", "reason": "3 answers were wrong"}
        self.assertIn("3 answers were wrong", self.troubles(*self.whole(), gap)[0])

    def test_a_refused_server_is_no_trouble_but_ours_and_the_base(self):
        records = [session("epoll", "nio-epoll", "nio-uring", refused=["nio-uring"]),
                   *self.whole()[1:]]
        self.assertEqual(self.troubles(*records), [])
        refused = [session("epoll", "nio-epoll", refused=["nio-epoll"]), *self.whole()[1:]]
        self.assertTrue(self.troubles(*refused))


if __name__ == "__main__":
    unittest.main()
