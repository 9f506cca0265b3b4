#!/usr/bin/env python3
"""Whether a quick measurement is whole: every server that could be started was loaded and answered
right, and no figure is missing. It says nothing about how good a figure is.

bench_check.py DIRECTORY    the raw runs, as echo_bench.py --quick left them
"""
import sys
from pathlib import Path

from bench_data import Results, read
from bench_plan import BASE

FIGURES = ("perSecond", "p50", "p99", "p999", "cpu", "user", "system", "serverBusy", "loadBusy",
           "privateKib", "residentKib", "threads", "foreign")
# Nothing is answered while the connections are silent.
MAY_BE_MISSING = {"idle": {"p50", "p99", "p999"}}


def troubles(results):
    """What is wrong, a line each."""
    if not results.sessions:
        yield "there are no raw runs"
        return
    for case, gaps in results.gaps.items():
        for server, reason in gaps.items():
            yield f"{case}, {server}: {reason}"
    session = results.sessions[-1]
    able = {server["name"] for server in session["servers"] if not server["refused"]}
    for name in {BASE, "nio-epoll"} - able:
        yield f"{name} could not be started"
    measured = {name for servers in results.runs.values() for name in servers}
    for name in sorted(able - measured):
        yield f"{name} was not measured"
    for mode in session["modes"]:
        asked_for = mode != "spin" or session["spin"]
        if asked_for and not any(results.runs[case] for case in results.cases(mode)):
            yield f"there is no run of {mode}"
    yield from missing_figures(results)


def missing_figures(results):
    for case, servers in list(results.runs.items()):
        may_be_missing = MAY_BE_MISSING.get(case.kind, set())
        for name, runs in servers.items():
            for run in runs.values():
                for figure in FIGURES:
                    value = run["figures"].get(figure)
                    if value is None and figure not in may_be_missing:
                        yield f"{case}, {name}: no {figure}"
                if case.kind != "idle" and not run["figures"].get("perSecond"):
                    yield f"{case}, {name}: nothing was answered"


def main():
    folder = Path(sys.argv[1])
    found = list(troubles(Results(read(sorted(folder.glob("*.jsonl"))))))
    for trouble in found:
        print(f"bench_check: {trouble}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
