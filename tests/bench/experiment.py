#!/usr/bin/env python3
"""The article's experiment: four threading models against more and more clients.

For each model and each number of clients: throughput, p99, memory, CPU. Writes a page with the
plots, and all figures as JSON. What could not be measured is shown as a gap with its reason.
"""
import argparse
import json
import os
import platform
import re
import resource
import shlex
import shutil
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

import experiment_page
from experiment_run import Bench, Load, Series, Unmeasured, measure, median_of

ROOT = Path(__file__).resolve().parents[2]

CLIENTS = (10, 50, 100, 500, 1000, 3000, 5000, 10000, 19000)
CLIENTS_OF_BLOCKING = (10, 50, 100, 500, 1000)
QUICK_CLIENTS = (10, 100, 1000, 10000)
QUICK_CLIENTS_OF_BLOCKING = (10, 100, 1000)
RESERVED_DESCRIPTORS = 100

# The article's advice for dispatchers whose handlers may block: four to five for each CPU.
DISPATCHERS_PER_CPU = 4
WORKERS_PER_CPU = 16

# Many clients take a moment until all of them are served.
WARMUP_SECONDS_PER_CLIENT = 1e-4

FULL = {"seconds": 2.0, "warmup": 0.5, "repeats": 3, "budget": 690}
QUICK = {"seconds": 1.0, "warmup": 0.3, "repeats": 1, "budget": 95}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer clients, once, under 2 minutes")
    parser.add_argument("--docs", action="store_true", help="also rewrite docs/threading-models.*")
    parser.add_argument("--repeats", type=int, help="runs of each point; 3, with --quick 1")
    parser.add_argument("--dispatchers", type=int, help="M; four for each CPU of the server")
    parser.add_argument("--workers", type=int, help="N; sixteen for each CPU of the server")
    parser.add_argument("--budget", type=float, help="seconds; what is left then becomes gaps")
    parser.add_argument("--bin", default=str(ROOT / "build/bin"), help="where the programs are")
    parser.add_argument("--client", help="another echo-client")
    parser.add_argument("--out", default=str(ROOT / "build/experiment"), help="where the page goes")
    arguments = parser.parse_args()
    for name, value in (QUICK if arguments.quick else FULL).items():
        if getattr(arguments, name, None) is None:
            setattr(arguments, name, value)
    if arguments.repeats < 1:
        parser.error("--repeats is at least 1")
    return arguments


# --- the plan ------------------------------------------------------------------------------------


def split_cpus():
    """Half of the CPUs for the server, half for the client, where there are two."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2 or not shutil.which("taskset"):
        return (), ()
    half = len(cpus) // 2
    return tuple(cpus[:half]), tuple(cpus[half:])


def every_series(dispatchers, workers):
    m, n = ["--threads", str(dispatchers)], ["--workers", str(workers)]
    return [
        (Series("m-0", "M dispatchers", ("m-dispatchers-no-workers", *m)), 0, False),
        (Series("per-client", "Thread per client", ("thread-per-client",)), 1, False),
        (Series("1-n", "1 dispatcher, N workers", ("one-dispatcher-n-workers", *n)), 2, False),
        (Series("m-n", "M dispatchers, N workers", ("m-dispatchers-n-workers", *m, *n)), 3, False),
    ]


def dispatchers_only(key, label, count):
    """M dispatchers with another M."""
    return Series(key, label, ("m-dispatchers-no-workers", "--threads", str(count))), 0, True


def descriptors():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if hard == resource.RLIM_INFINITY else hard


def plan(arguments, cpus):
    """What is measured, with no points yet."""
    series = every_series(arguments.dispatchers, arguments.workers)
    # Where handlers never block, one for each CPU is the advice; where they do, dispatchers can be
    # as many as the workers of the others.
    lean = [*series, dispatchers_only("cpu-0", "A dispatcher per CPU", cpus)]
    blocking = [*series, dispatchers_only("n-0", "N dispatchers", arguments.workers)]
    clients = QUICK_CLIENTS if arguments.quick else CLIENTS
    few = QUICK_CLIENTS_OF_BLOCKING if arguments.quick else CLIENTS_OF_BLOCKING
    fitting = [n for n in clients if n + RESERVED_DESCRIPTORS <= descriptors()]
    works = [("none", "no work", lean, fitting),
             ("block:1ms", "a handler that blocks 1 ms", blocking, few)]
    return [
        {
            "work": work,
            "title": title,
            "clients": list(counts),
            "series": [
                {"key": one.key, "label": one.label, "color": color, "dashed": dashed,
                 "command": " ".join(["model-server", *one.arguments, "--work", work])}
                for one, color, dashed in lines
            ],
            "points": [],
            "lines": [one for one, _, _ in lines],
        }
        for work, title, lines, counts in works
    ]


def steps_of(works, repeats):
    """All first runs before any second one: the budget then cuts repeats, not points. The models
    take turns within each number of clients."""
    for _ in range(repeats):
        for work in works:
            for clients in work["clients"]:
                for series in work["lines"]:
                    yield work, clients, series


# --- doing it ------------------------------------------------------------------------------------


def point_of(work, clients, series):
    for point in work["points"]:
        if (point["clients"], point["series"]) == (clients, series.key):
            return point
    point = {"series": series.key, "clients": clients, "runs": [], "gap": None, "median": None}
    work["points"].append(point)
    return point


def run_step(bench, arguments, work, clients, series):
    point = point_of(work, clients, series)
    warmup = round(arguments.warmup + clients * WARMUP_SECONDS_PER_CLIENT, 2)
    load = Load(clients, work["work"], arguments.seconds, warmup)
    try:
        figures = measure(bench, series, load)
    except Unmeasured as reason:
        point["gap"] = str(reason)
        return f"– {reason}"
    point["runs"].append(figures)
    told = [experiment_page.number(figures[key])
            for key in ("echoesPerSecond", "p99Milliseconds", "rssGrowthMib")]
    note = f" ({figures['note']})" if figures["note"] else ""
    return "{} echoes/s, p99 {} ms, {} MiB".format(*told) + note


def run_all(bench, arguments, works):
    steps = list(steps_of(works, arguments.repeats))
    end = time.monotonic() + arguments.budget
    for number, (work, clients, series) in enumerate(steps, 1):
        if time.monotonic() > end:
            point = point_of(work, clients, series)
            if not point["runs"]:
                point["gap"] = "out of time"
            continue
        outcome = run_step(bench, arguments, work, clients, series)
        print(f"[{number}/{len(steps)}] {work['title']}, {clients:,} clients, {series.label}: "
              f"{outcome}", file=sys.stderr, flush=True)


def conclude(works):
    """One failed run makes a gap: a median of the lucky ones would not be true."""
    for work in works:
        del work["lines"]
        for point in work["points"]:
            if not point["gap"]:
                point["median"] = median_of(point["runs"])


# --- what it was measured on ---------------------------------------------------------------------


def first_match(pattern, path, otherwise="unknown"):
    try:
        match = re.search(pattern, Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return otherwise
    return match[1].strip() if match else otherwise


def host_facts(bench):
    def names(cpus):
        return ",".join(map(str, cpus))

    pinned = bench.server_cpus and (
        f"server on CPU {names(bench.server_cpus)}, client on CPU {names(bench.client_cpus)}"
    )
    return {
        "kernel": re.match(r"[\d.]*\d|", platform.release())[0],
        "cpuModel": first_match(r"^model name\s*:(.*)$", "/proc/cpuinfo", platform.machine()),
        "cpus": len(os.sched_getaffinity(0)),
        "pinning": pinned or "server and client not pinned",
        "memoryMib": int(first_match(r"^MemTotal:\s+(\d+)", "/proc/meminfo", "0")) // 1024,
        "descriptorLimit": descriptors(),
        "threadsMax": first_match(r"(\d+)", "/proc/sys/kernel/threads-max"),
        "loadAverageBefore": round(os.getloadavg()[0], 2),
        "somaxconn": first_match(r"(\d+)", "/proc/sys/net/core/somaxconn"),
    }


def command_line():
    words = shlex.join(sys.argv[1:])
    return f"make experiment EXPERIMENT={shlex.quote(words)}" if words else "make experiment"


def write_docs(result):
    docs = ROOT / "docs"
    (docs / "threading-models.svg").write_text(
        experiment_page.picture(result["works"]), encoding="utf-8")
    page = docs / "threading-models.md"
    text = experiment_page.with_tables(page.read_text(encoding="utf-8"), result)
    page.write_text(text, encoding="utf-8")


def main():
    arguments = parse_arguments()
    server = os.path.join(arguments.bin, "model-server")
    client = arguments.client or os.path.join(arguments.bin, "echo-client")
    for program in (server, client):
        if not os.access(program, os.X_OK):
            sys.exit(f"experiment: {program} is not there; `make experiment` builds it")
    bench = Bench(server, client, *split_cpus())
    cpus = len(bench.server_cpus) or 1
    arguments.dispatchers = arguments.dispatchers or DISPATCHERS_PER_CPU * cpus
    arguments.workers = arguments.workers or WORKERS_PER_CPU * cpus
    host = host_facts(bench)
    works = plan(arguments, cpus)
    run_all(bench, arguments, works)
    conclude(works)
    result = {
        "experiment": "threading models",
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "command": command_line(),
        "commandLine": sys.argv,
        "host": host,
        "settings": {
            "seconds": arguments.seconds,
            "warmupSeconds": arguments.warmup,
            "repeats": arguments.repeats,
            "messageBytes": Load.message_bytes,
            "dispatchers": arguments.dispatchers,
            "workers": arguments.workers,
        },
        "works": works,
    }
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (out / "experiment.json").write_text(text + "\n", encoding="utf-8")
    page = out / "index.html"
    page.write_text(experiment_page.html(result), encoding="utf-8")
    if arguments.docs:
        write_docs(result)
    print(page)


if __name__ == "__main__":
    main()
