#!/usr/bin/env python3
"""Makes docs/benchmarks/echo-server.md and its plots from the raw runs; measures nothing.

bench_page.py [--raw DIRECTORY] [--docs DIRECTORY] [FILE...]

Takes all .jsonl files of --raw, or just those named: several measurements may be put together.
"""
import argparse
import json
import math
import re
import sys
from pathlib import Path

import bench_plots
from bench_data import Results, read
from bench_sections import SECTIONS, measured_on, quality
from bench_table import table

ROOT = Path(__file__).resolve().parents[2]
PAGE = "echo-server.md"
HEADING = "# echo-server beside other echo servers"
STEPS = Path(__file__).with_name("bench_steps.json")
MOST_FUNCTIONS = 32
REST = {"step": "the rest", "why": "what a turn costs once"}
HANDED = "handoff.json-lines"  # what handoff-bench --json printed
COUNTED = "locked.json-lines"  # what tests/steady/locked.py --json wrote
MOVED = "moves.json-lines"  # the last line of each run of rebalance-bench


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="raw runs; default: all in --raw")
    parser.add_argument("--raw", type=Path, default=ROOT / "build/bench")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs/benchmarks",
                        help="where the page goes")
    return parser.parse_args()


# --- what other programs left --------------------------------------------------------------------


def load_json(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def in_nanoseconds(benchmark):
    return benchmark["cpu_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[benchmark["time_unit"]]


def inside(report):
    """Of Google Benchmark's JSON."""
    if not report:
        return []
    rows = [[f"`{b['name']}`", f"{in_nanoseconds(b):,.1f}", f"{b['iterations']:,}"]
            for b in report["benchmarks"] if b.get("run_type") != "aggregate"]
    return ["`nio-bench`: CPU time of the library's own steps.", "",
            *table(["benchmark", "ns", "times"], rows)]


def cell(value):
    return f"{value:,.1f}" if isinstance(value, float) else str(value)


def hand_off(records):
    """Of `handoff-bench --json`: whatever each line has."""
    if not records:
        return []
    headings = list(dict.fromkeys(name for record in records for name in record
                                  if not isinstance(record[name], (dict, list))))
    rows = [[cell(record.get(name, "–")) for name in headings] for record in records]
    return ["`handoff-bench --json`: tasks from one thread to another.", "",
            *table(headings, rows)]


def locks(records):
    rows = [[r["name"], f"{r['lockedPerTurn']:g}", f"{r['lockedPerEvent']:g}"]
            for r in records if "lockedPerEvent" in r]
    if not rows:
        return []
    return ["Instructions that lock the bus, counted by callgrind (`tests/steady/locked.py`): those "
            "of a turn with 20 echoes, and how many more with each echo more. That an echo "
            "allocates nothing, `tests/steady` asserts with a malloc of its own.", "",
            *table(["protocol", "per turn", "per echo"], rows)]


def until_spread(seconds):
    return "not in its time" if math.isinf(seconds) else f"{seconds:.2f}"


def moving(records):
    rows = [[r["name"], until_spread(r["recovered_s"]), " / ".join(map(str, r["counts"]))]
            for r in records if "recovered_s" in r]
    if not rows:
        return []
    return ["`rebalance-bench`: connections that were all dealt to one dispatcher, which is some "
            "85 % busy with them, until the shares of CPU of the dispatchers differ by less than "
            "10 points.", "",
            *table(["run", "seconds", "connections then"], rows)]


def sums_of(server, steps):
    """What its functions take for each step; a function belongs to the first that it matches."""
    sums = dict.fromkeys((step["step"] for step in steps), 0.0)
    for function in server["functions"]:
        step = next((s for s in steps if re.search(s["match"], function["name"])), None)
        if step is not None:
            sums[step["step"]] += function["perEcho"]
    sums[REST["step"]] = server["perEcho"][-1] - sum(sums.values())
    return sums


def by_step(servers):
    steps = json.loads(STEPS.read_text(encoding="utf-8"))
    sums = [sums_of(server, steps) for server in servers]
    rows = [[step["step"], step["why"], *(f"{each[step['step']]:,.0f}" for each in sums)]
            for step in [*steps, REST]]
    headings = ["step", "what it is", *(server["label"] for server in servers)]
    return table(headings, rows, words=2)


def instructions(report):
    """Of instructions.py."""
    if not report:
        return []
    lines = ["User instructions of an echo, counted by callgrind: no other work disturbs that. "
             f"Each is the difference of two runs, over {report['echoes']:,} echoes of "
             f"{report['size']} B.", ""]
    headings = ["server", *(f"{n} connections" for n in report["connections"])]
    rows = [[server["label"], *(f"{count:,.0f}" for count in server["perEcho"])]
            for server in report["servers"]]
    lines += table(headings, rows)
    lines += ["", f"With {report['connections'][-1]} connections, by what they are for:", "",
              *by_step(report["servers"])]
    for server in report["servers"]:
        shown = server["functions"][:MOST_FUNCTIONS]
        rows = [[f"`{f['name']}`", f"{f['perEcho']:,.1f}"] for f in shown]
        rest = server["perEcho"][-1] - sum(f["perEcho"] for f in shown)
        rows.append(["the others together", f"{rest:,.1f}"])
        lines += ["", f"{server['label']}, {report['connections'][-1]} connections, by function "
                      "(inlined ones by their file):", "", *table(["function", "per echo"], rows)]
    return lines


# --- the page ------------------------------------------------------------------------------------


def page(results, raw):
    lines = [HEADING, "",
             "`make bench` measures, and `make bench-page` makes this page from the raw runs. What "
             "is measured and how: [benchmarks](../benchmarks.md).", "", "Measured:", "",
             *measured_on(results), "", *quality(results), ""]
    parts = [(title, section(results)) for title, section in SECTIONS]
    parts += [
        ("Hand-off", hand_off(results.handed)),
        ("Locks", locks(results.counted)),
        ("Moving", moving(results.counted)),
        ("Inside", inside(load_json(raw / "inside.json"))),
        ("Instructions", instructions(load_json(raw / "instructions.json"))),
    ]
    for title, part in parts:
        if part:
            lines += [f"## {title}", "", *part, ""]
    return "\n".join(lines).rstrip() + "\n"


def write(docs, results, raw):
    path = docs / PAGE
    path.write_text(page(results, raw), encoding="utf-8")
    for name, picture in bench_plots.pictures(results).items():
        (docs / name).write_text(picture, encoding="utf-8")
    return path


def main():
    options = parse()
    files = options.files or sorted(options.raw.glob("*.jsonl"))
    others = [read([path]) if path.exists() else []
              for path in (options.raw / name for name in (HANDED, COUNTED, MOVED))]
    results = Results(read(files), others[0], [*others[1], *others[2]])
    if not results.sessions:
        sys.exit(f"bench_page: no raw runs in {options.raw}; `make bench` measures")
    options.docs.mkdir(parents=True, exist_ok=True)
    print(write(options.docs, results, options.raw))


if __name__ == "__main__":
    main()
