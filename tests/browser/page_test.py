"""The page of echo-client --html, in a real browser: it opens without a complaint, asks for
nothing, shows what the run's --json says, and can be read wide and narrow, light and dark.

page_test.py PROGRAMS [PICTURES]

PROGRAMS is the folder with echo-server and echo-client. PICTURES: a folder for screenshots.
Exit code 77 (skipped) where there is no Chromium, unless NIO_REQUIRE_ALL=1.
"""
import base64
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import webdriver

SKIPPED = 77
PATIENCE = 240
SATURATED = 5  # on a busy machine; the page is made all the same
CHECKS = (Path(__file__).parent / "page_checks.js").read_text(encoding="utf-8")
VIEWS = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]
PLOTS = [
    "Throughput over time",
    "Latency over time",
    "Latency by percentile",
    "Histogram of latencies",
]

# All that the checks must notice.
BAD_PAGE = """<!DOCTYPE html><html><head><title>bad</title></head><body>
<p style="color:#999;background:#fff">faint</p>
<div style="width:2000px">wide</div>
<svg class="plot" style="width:300px;height:100px"><text x="20" y="20">one</text>
<text x="25" y="20">two</text>
<path class="line" data-name="p" data-points="3" d="M0 0L900 0"/></svg>
<img src="missing.png"><script>console.error("complaint")</script></body></html>"""


class Troubles(list):
    def unless(self, fine, text):
        if not fine:
            self.append(text)


# --- the runs -----------------------------------------------------------------------------------


@contextlib.contextmanager
def echo_server(programs):
    """Its port."""
    command = [programs / "echo-server", "--port", "0", "--threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            ready = server.stdout.readline()
            yield re.search(r"listening on \S+:(\d+)", ready)[1]
        finally:
            server.terminate()


def load(programs, port, page, result, *options):
    """Leaves a page and a result; gives the result."""
    command = [programs / "echo-client", "--port", port, "--connections", "4", "--duration", "1s"]
    command += ["--warmup", "200ms", "--quiet", "--html", page, "--json", result, *options]
    run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if run.returncode not in (0, SATURATED):
        sys.exit(f"echo-client: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    return json.loads(result.read_text(encoding="utf-8"))


# --- what the page shows against what the result says ---------------------------------------------


def expected_lines(result, earlier):
    """name -> points, in the order of the plots."""
    series, buckets = result["series"], result["histogram"]["buckets"]
    answered = lambda run, figure: sum(point[figure] is not None for point in run["series"])
    throughput = [("this run", len(series))]
    latency = [(figure, answered(result, figure)) for figure in ("p50", "p90", "p99", "max")]
    percentiles = [("latency", len(buckets))]
    for name, run in earlier.items():
        throughput.append((name, len(run["series"])))
        latency.append((f"{name}, p99", answered(run, "p99")))
        percentiles.append((name, len(run["histogram"]["buckets"])))
    if result["loop"] == "open":
        throughput.append(("planned", len(series)))
        percentiles.append(("service time", len(result["serviceHistogram"]["buckets"])))
    return throughput, latency, percentiles


def check_lines(plots, result, earlier, troubles):
    for plot, expected in zip(plots, expected_lines(result, earlier)):
        said = [(line["name"], line["said"]) for line in plot["lines"]]
        drawn = [(line["name"], line["drawn"]) for line in plot["lines"]]
        troubles.unless(said == expected, f"{plot['label']}: {said}, not {expected}")
        troubles.unless(drawn == said, f"{plot['label']}: {drawn} are drawn, not {said}")


def check_bars(bars, buckets, troubles):
    total = sum(count for _, count in buckets)
    troubles.unless(bars, "the histogram has no bars")
    for bar in bars:
        count = sum(count for value, count in buckets if bar["from"] <= value < bar["to"])
        percent = 100 * count / total
        troubles.unless(count > 0, f"a bar without a bucket: {bar}")
        troubles.unless(abs(bar["percent"] - percent) < 1e-5, f"{bar} is not {percent}")
    shown = sum(bar["percent"] for bar in bars)
    troubles.unless(abs(shown - 100) < 1e-3, f"all bars together are {shown} %")


def check_figures(found, result, earlier, troubles):
    plots = found["plots"]
    troubles.unless(len(plots) == 4, f"{len(plots)} plots, not 4")
    for heading in PLOTS:
        troubles.unless(heading in found["headings"], f"no heading: {heading}")
    for name in earlier:
        troubles.unless(name in found["legend"], f"{name} is in no legend")
    check_lines(plots, result, earlier, troubles)
    if len(plots) == 4:
        check_bars(plots[3]["bars"], result["histogram"]["buckets"], troubles)
        outlines = [line["name"] for line in plots[3]["lines"]]
        troubles.unless(outlines == list(earlier), f"outlines of {outlines}")


# --- how it looks ---------------------------------------------------------------------------------


def check_looks(found, width, scheme, troubles):
    troubles.unless(found["dark"] == (scheme == "dark"), "the colour scheme is not emulated")
    troubles.unless(found["width"] == width, f"{found['width']} px wide")
    troubles.unless(found["contentWidth"] <= width, f"content is {found['contentWidth']} px wide")
    troubles.unless(found["texts"] > 0, "no text to be seen")
    for text in found["faintTexts"]:
        troubles.append(f"contrast {text['contrast']:.2f}: {text['text']}")
    for labels in found["collidingLabels"]:
        troubles.append(f"labels run into each other: {labels}")
    for plot in found["plots"]:
        troubles.unless(plot["role"] == "img" and plot["label"], "a plot says nothing by ear")
        troubles.unless(plot["width"] > 200 and plot["height"] > 150, f"small: {plot['label']}")
        troubles.unless(plot["strays"] == 0, f"{plot['strays']} strays: {plot['label']}")


def save_picture(browser, folder, page, width, scheme):
    if folder:
        name = f"{Path(page).stem}-{width}-{scheme}.png"
        (Path(folder) / name).write_bytes(base64.b64decode(browser.picture()))


def check_page(browser, page, pictures, check_more=lambda found, troubles: None):
    """All troubles of one page, as sentences."""
    troubles = Troubles()
    backgrounds = {}
    browser.requested()
    for width, scheme in VIEWS:
        browser.show(width, scheme)
        browser.open(page)
        save_picture(browser, pictures, page, width, scheme)
        found = browser.run(CHECKS)
        backgrounds[scheme] = found["background"]
        seen = Troubles()
        check_looks(found, width, scheme, seen)
        check_more(found, seen)
        troubles += [f"{Path(page).name}, {width} px, {scheme}: {trouble}" for trouble in seen]
    troubles.unless(backgrounds["light"] != backgrounds["dark"], "dark looks like light")
    for address in set(browser.requested()) - {Path(page).resolve().as_uri()}:
        troubles.append(f"asks for {address}")
    troubles += [f"console: {e['level']} {e['message']}" for e in browser.log("browser")]
    return troubles


# --- the tests ------------------------------------------------------------------------------------


def check_that_checks_can_fail(browser, folder):
    page = folder / "bad.html"
    page.write_text(BAD_PAGE, encoding="utf-8")
    result = {"loop": "closed", "series": [], "histogram": {"buckets": [[7, 1]]}}
    earlier = {"a.json": result}
    troubles = "\n".join(
        check_page(browser, page, None, lambda f, t: check_figures(f, result, earlier, t))
    )
    wanted = ["contrast 2.", "content is 20", "run into each other", "says nothing", "small: ",
              "1 strays", "dark looks like light", "missing.png", "complaint", "1 plots, not 4",
              "no heading", "in no legend", "[('p', 3)], not [('this run', 0)", "[('p', 2)] are"]
    return [f"a bad page was not noticed: {text}" for text in wanted if text not in troubles]


def check_runs(browser, programs, folder, pictures):
    page, compared, gaps = (folder / f"{name}.html" for name in ("closed", "open", "sparse"))
    before, now, seldom = (folder / f"{name}.json" for name in ("closed", "open", "sparse"))
    with echo_server(programs) as port:
        closed = load(programs, port, page, before)
        opened = load(programs, port, compared, now, "--rate", "2k", "--compare", before)
        sparse = load(programs, port, gaps, seldom, "--rate", "5")
    troubles = check_page(browser, page, pictures, lambda f, t: check_figures(f, closed, {}, t))
    earlier = {str(before): closed}
    troubles += check_page(
        browser, compared, pictures, lambda f, t: check_figures(f, opened, earlier, t)
    )
    if all(point["p50"] is not None for point in sparse["series"]):
        troubles.append("5 echoes a second leave no gap")
    return troubles + check_page(
        browser, gaps, pictures, lambda f, t: check_figures(f, sparse, {}, t)
    )


def check_search(browser, programs, folder, pictures):
    page = folder / "search.html"
    with echo_server(programs) as port:
        load(programs, port, page, folder / "search.json", "--find-max", "p99<10s", "--rate", "5k")

    def has_search(found, troubles):
        troubles.unless("Search for the highest rate" in found["headings"], "no search")
        troubles.unless(len(found["plots"]) == 5, f"{len(found['plots'])} plots, not 5")

    return check_page(browser, page, pictures, has_search)


def main():
    programs, pictures = Path(sys.argv[1]), (sys.argv[2:] or [None])[0]
    if lacks := webdriver.missing():
        print("not installed: " + ", ".join(lacks))
        sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else SKIPPED)
    with tempfile.TemporaryDirectory(prefix="nio-page-") as name, webdriver.Browser() as browser:
        troubles = check_that_checks_can_fail(browser, Path(name))
        troubles += check_runs(browser, programs, Path(name), pictures)
        troubles += check_search(browser, programs, Path(name), pictures)
    print("\n".join(troubles) or "all pages are fine")
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
