"""What the experiment makes of its figures: medians, gaps, plots, tables. Nothing is measured."""
import unittest
import xml.etree.ElementTree as ElementTree

import experiment
import experiment_page
import experiment_plot
import experiment_run
from experiment_run import Load, Sample, Series, Unmeasured

SVG = "{http://www.w3.org/2000/svg}"


def run(rate, p99=1.5, note=None):
    return {
        "echoesPerSecond": rate, "p99Milliseconds": p99, "rssGrowthMib": 2.0, "peakMib": 6.0,
        "kernelStackGrowthMib": 0.5, "cpuMicrosecondsPerEcho": 4.0, "serverCpus": 0.9,
        "clientCpus": 0.8, "threads": 5, "note": note,
    }


def point(series, clients, *runs, gap=None):
    median = None if gap else experiment_run.median_of(list(runs))
    return {"series": series, "clients": clients, "runs": list(runs), "gap": gap, "median": median}


def result(*points):
    series = [
        {"key": key, "label": label, "color": color, "dashed": False, "command": "model-server x"}
        for color, (key, label) in enumerate([("a", "Model A"), ("b", "Model <B>")])
    ]
    work = {"work": "none", "title": "no work", "clients": [10, 100, 1000], "series": series,
            "points": list(points)}
    host = {"cpus": 2, "cpuModel": "CPU", "kernel": "6.1", "pinning": "not pinned",
            "loadAverageBefore": 0.1}
    settings = {"dispatchers": 4, "workers": 16, "messageBytes": 64, "seconds": 2.0, "repeats": 3}
    return {"date": "2000-01-01", "command": "make experiment", "host": host, "works": [work],
            "settings": settings}


class Figures(unittest.TestCase):
    def test_the_median_is_one_of_the_runs(self):
        median = experiment_run.median_of([run(10), run(30), run(20), run(40)])
        self.assertEqual(median["echoesPerSecond"], 20)

    def test_a_note_on_one_run_is_a_note_on_the_median(self):
        median = experiment_run.median_of([run(1), run(2, note="too few"), run(3)])
        self.assertEqual(median["note"], "too few")

    def test_clients_without_a_thread_are_noted_where_each_should_have_one(self):
        load = Load(100, "none", 2.0, 0.5)
        few = Sample(0.0, 0, 0, 0, 90, 0)
        per_client = Series("a", "A", ("thread-per-client",))
        dispatchers = Series("b", "B", ("m-dispatchers-no-workers",))
        self.assertIn("only 90 threads", experiment_run.note_on(per_client, load, few, {}))
        self.assertIsNone(experiment_run.note_on(dispatchers, load, few, {}))
        busy = {"warning": "load-1 was 97 % busy"}
        self.assertIn("generator", experiment_run.note_on(dispatchers, load, few, busy))

    def test_a_failed_run_makes_a_gap_of_all_the_runs_of_its_point(self):
        failed = point("a", 10, run(1)) | {"gap": "no thread", "median": None}
        work = {"lines": [], "points": [failed]}
        experiment.conclude([work])
        self.assertIsNone(work["points"][0]["median"])

    def test_cpu_is_taken_from_the_loaded_part_only(self):
        # 1 CPU from second 1 to 4, none while connections open and close.
        samples = [
            Sample(t / 10, min(max(t / 10 - 1, 0), 3), 0.0, 1000 + t, 3, 100) for t in range(45)
        ]
        idle = Sample(0.0, 0.0, 0.0, 1000, 1, 100)
        report = {"echoesPerSecond": 1000.0, "latencyMicroseconds": {"p99": 2500.0}}
        load, series = Load(1, "none", 2.0, 0.5), Series("a", "A", ("x",))
        figures = experiment_run.figures_of(report, samples, idle, load, series)
        self.assertAlmostEqual(figures["serverCpus"], 1.0)
        self.assertAlmostEqual(figures["cpuMicrosecondsPerEcho"], 1000.0)
        self.assertEqual(figures["p99Milliseconds"], 2.5)

    def test_a_load_that_was_too_short_to_look_at_has_no_figures(self):
        with self.assertRaises(Unmeasured):
            experiment_run.loaded_part([Sample(0.0, 0, 0, 0, 1, 0)], 2.0)

    def test_missing_clients_errors_and_bad_exits_are_trouble(self):
        fine = {"connections": {"asked": 5, "made": 5}, "errors": {"reset": 0, "connect": {}}}
        self.assertIsNone(experiment_run.trouble_in(fine, 0))
        self.assertIn("exit code 3", experiment_run.trouble_in(fine, 3))
        few = fine | {"connections": {"asked": 5000, "made": 4999}}
        self.assertEqual(experiment_run.trouble_in(few, 1), "4,999 of 5,000 clients connected")
        bad = fine | {"errors": {"reset": 2, "connect": {"refused": 3}}}
        self.assertEqual(experiment_run.trouble_in(bad, 1), "5 errors")
        late = fine | {"errors": {"reset": 0, "timedOut": 1200}}
        self.assertIn("1,200 messages were not answered", experiment_run.trouble_in(late, 1))


class Plan(unittest.TestCase):
    def test_models_take_turns_and_first_runs_come_first(self):
        work = {"clients": [10, 50], "lines": ["A", "B"]}
        steps = [(clients, line) for _, clients, line in experiment.steps_of([work], 2)]
        once = [(10, "A"), (10, "B"), (50, "A"), (50, "B")]
        self.assertEqual(steps, once + once)


class Picture(unittest.TestCase):
    def parsed(self, measured):
        return ElementTree.fromstring(experiment_page.picture(measured["works"]))

    def titles(self, svg):
        return [title.text for title in svg.iter(f"{SVG}title")]

    def test_every_point_of_every_plot_has_a_mark_that_tells_its_figure(self):
        svg = self.parsed(result(*(point(key, n, run(n * 5)) for key in "ab" for n in (10, 100))))
        titles = self.titles(svg)
        self.assertEqual(len(titles), 4 * len(experiment_page.PANELS["none"]))
        self.assertIn("Model <B>, 100 clients: 500 echoes/s", titles)

    def test_a_gap_breaks_the_line_and_says_why(self):
        svg = self.parsed(result(point("a", 10, run(5)), point("a", 100, gap="no thread"),
                                 point("a", 1000, run(7))))
        self.assertIn("Model A, 100 clients: no thread", self.titles(svg))
        lines = [line.get("points").split() for line in svg.iter(f"{SVG}polyline")]
        self.assertEqual([len(line) for line in lines if len(line) == 1],
                         [1, 1] * len(experiment_page.PANELS["none"]))

    def test_nothing_measured_is_a_picture_too(self):
        self.parsed(result(point("a", 10, gap="no thread"), point("b", 10, gap="no thread")))

    def test_axes_end_at_round_numbers(self):
        scale = experiment_plot.LinearScale(64_000, 0, 100)
        self.assertEqual(scale.ticks(), [0, 20_000, 40_000, 60_000, 80_000])


class Tables(unittest.TestCase):
    def test_the_document_keeps_what_is_outside_the_markers(self):
        document = f"before\n{experiment_page.BEGIN}\nold\n{experiment_page.END}\nafter\n"
        text = experiment_page.with_tables(document, result(point("a", 10, run(1234))))
        self.assertTrue(text.startswith("before\n"))
        self.assertTrue(text.endswith("\nafter\n"))
        self.assertNotIn("old", text)
        self.assertIn("| 10 | 1,234 | – |", text)
        again = experiment_page.with_tables(text, result(point("a", 10, run(1234))))
        self.assertEqual(again, text)

    def test_a_document_without_markers_is_refused(self):
        with self.assertRaises(ValueError):
            experiment_page.with_tables("text", result())

    def test_gaps_and_notes_are_told(self):
        text = experiment_page.markdown(
            result(point("a", 10, run(9, note="too few")), point("b", 10, gap="no thread")))
        self.assertIn("| 9† |", text)
        self.assertIn("- Model A at 10: too few", text)
        self.assertIn("- Model <B>, 10 clients: no thread", text)

    def test_the_page_needs_no_other_file_and_escapes_what_it_shows(self):
        page = experiment_page.html(result(point("a", 10, run(9)), point("b", 10, gap="<gap>")))
        self.assertNotIn("<B>", page)
        self.assertIn("&lt;gap&gt;", page)
        self.assertNotRegex(page, r"(src|href)=")


if __name__ == "__main__":
    unittest.main()
