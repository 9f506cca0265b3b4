#!/usr/bin/env python3
"""echo-server beside other echo servers: what an echo, a connection and an accept cost.

echo_bench.py [--modes echo,accept,...] [--cells main|all|C:SIZE:DEPTH,...] [--quick]

Every case starts all servers, warms each up, and then measures them in turn, round after round:
A B C, A B C. The server runs on one CPU, the load (echo-client) on another one. A run that was
disturbed (other work on these CPUs, a slow or far core) is repeated a few times and marked.

Every run is appended to a file in --out at once; an interrupted measurement has left what it
measured. bench_page.py makes the page from all files there.
"""
import argparse
import os
import shlex
import signal
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

import bench_plan
from bench_data import Journal
from bench_noise import Judge
from bench_run import Bench, Running, Wrong, help_of, measure, spin_options
from experiment import first_match, host_facts
from experiment_run import Unmeasured

ROOT = Path(__file__).resolve().parents[2]
MODES = ("echo", "accept", "idle", "curve", "scale", "spin")
QUICK = {"modes": ["echo", "accept", "idle", "scale", "spin"], "cells": "3:64:2", "rounds": 1,
         "seconds": 0.3, "warmup": 0.05, "prewarm": 0.0, "wait": 0.0, "retries": 0, "budget": 120.0}
# So few do where only it is asked that everything works.
QUICK_CONNECTIONS = 20
EXIT_INTERRUPTED = 130


def parse(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--bin", type=Path, default=ROOT / "build/bin", help="where the programs are")
    add("--out", type=Path, default=ROOT / "build/bench", help="where the raw runs go")
    add("--modes", type=lambda text: text.split(","), default=list(MODES),
        help=f"of {','.join(MODES)}")
    add("--cells", default="main", help="main, all, or CONNECTIONS:SIZE:DEPTH,...")
    add("--servers", help="names, comma separated; default: all but those of no general interest")
    add("--rounds", type=int, default=5)
    add("--seconds", type=float, default=1.0, help="measured time of a run")
    add("--warmup", type=float, default=0.3, help="seconds before that, in each run")
    add("--prewarm", type=float, default=0.5, help="seconds of each server's unrecorded first run")
    add("--budget", type=float, default=1500.0, help="seconds in all; what is left is not measured")
    add("--server-cpu", type=int, help="default: the first one")
    add("--load-cpu", type=int, help="default: the second one")
    add("--foreign", type=float, default=0.15, help="CPUs that others may take")
    add("--near", type=float, default=200.0, help="ns of a cache line's round trip; 0: any")
    add("--wait", type=float, default=2.0, help="seconds that a run waits for calm CPUs")
    add("--retries", type=int, default=2, help="of a run that was disturbed")
    add("--anew", action="store_true", help="put earlier raw runs away: the page is of these only")
    add("--quick", action="store_true", help="everything once, and short: does it work?")
    options = parser.parse_args(words)
    if options.quick:
        vars(options).update(QUICK)
    if wrong := set(options.modes) - set(MODES):
        parser.error(f"--modes: {', '.join(sorted(wrong))} is none of {', '.join(MODES)}")
    return options


def choose_servers(options):
    servers = bench_plan.every_server(options.bin)
    if not options.servers:
        wanted = {s.name for s in servers} - bench_plan.OPTIONAL
        if "idle" in options.modes:
            wanted.add("nio-packets")
        return [s for s in servers if s.name in wanted]
    names = options.servers.split(",")
    if wrong := set(names) - {s.name for s in servers}:
        sys.exit(f"echo_bench: there is no server {', '.join(sorted(wrong))}")
    return [s for s in servers if s.name in names]


def choose_cases(options):
    cases = bench_plan.cases_of(options.modes, bench_plan.parse_cells(options.cells))
    if not options.quick:
        return cases
    few = [bench_plan.Case(case.kind, min(case.connections, QUICK_CONNECTIONS), case.size,
                           case.depth, case.threads) for case in cases]
    return list(dict.fromkeys(few))


def make_bench(options):
    cpus = sorted(os.sched_getaffinity(0))
    bench = Bench(
        options.bin,
        cpus[0] if options.server_cpu is None else options.server_cpu,
        cpus[-1 if len(cpus) < 2 else 1] if options.load_cpu is None else options.load_cpu,
        options.seconds, options.warmup)
    bench.spin = spin_options(help_of(options.bin / "echo-server"))
    return bench


def refusal_of(bench, server):
    """Why it cannot be measured here; nothing where it can."""
    try:
        with Running(bench, server, 1):
            return None
    except Unmeasured as reason:
        return str(reason)


def told_of(figures):
    if not figures["perSecond"]:
        return f"{figures['privateKib']:,} KiB"
    return (f"{figures['perSecond']:,.0f}/s, CPU {figures['cpu']:.3f} µs "
            f"(user {figures['user']:.2f}), p50 {figures['p50']:,.0f} µs, "
            f"p99 {figures['p99']:,.0f} µs")


class Fleet:
    """The servers of one case, each started when it is first needed."""

    def __init__(self, bench):
        self.bench, self.case, self.running = bench, None, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        for running in self.running.values():
            running.kill()
        self.running = {}

    def get(self, case, server):
        # Memory is that of a process that has served nobody else.
        if case != self.case or case.kind == "idle":
            self.end()
        self.case = case
        if server.name not in self.running:
            spins = server.ours and case.kind == "spin"
            more = self.bench.spin if spins else ()
            self.running[server.name] = Running(self.bench, server, case.threads, more)
        return self.running[server.name]


class Session:
    """The measurement: what it has done so far, and where it writes it down."""

    def __init__(self, options, bench, judge, journal, name):
        self.options, self.bench, self.judge = options, bench, judge
        self.journal, self.name = journal, name
        self.begin = time.monotonic()

    def record(self, kind, step, **more):
        case = step.case
        self.journal.add(type=kind, session=self.name, kind=case.kind, server=step.server.name,
                         connections=case.connections, size=case.size, depth=case.depth,
                         threads=case.threads, round=step.round, **more)

    def try_twice(self, fleet, step):
        """A machine that is very busy may let a run fail; one that fails again does not work."""
        do = self.warm_up if step.warms_up else self.run
        try:
            return do(fleet, step)
        except Wrong:
            raise
        except Unmeasured:
            fleet.end()
            return do(fleet, step)

    def warm_up(self, fleet, step):
        if self.options.prewarm <= 0:
            return None
        long = Bench(**{**vars(self.bench), "seconds": self.options.prewarm, "warmup": 0.0})
        measure(long, self.judge, fleet.get(step.case, step.server), step.case, 0)
        return None

    def run(self, fleet, step):
        """What to tell of it."""
        for attempt in range(self.options.retries + 1):
            running = fleet.get(step.case, step.server)
            figures, complaints = measure(self.bench, self.judge, running, step.case,
                                          self.options.wait)
            self.record("run", step, attempt=attempt, clean=not complaints,
                        complaints=complaints, figures=figures)
            if not complaints or self.left() <= 0:
                break
        return told_of(figures) + (f"; DISTURBED: {'; '.join(complaints)}" if complaints else "")

    def left(self):
        return self.begin + self.options.budget - time.monotonic()

    def progress(self, number, total, step, told):
        spent = time.monotonic() - self.begin
        eta = min(spent / number * (total - number), max(self.left(), 0))
        print(f"[{number}/{total}, {eta:.0f} s left] {step.case}, round {step.round}, "
              f"{step.server.name}: {told}", file=sys.stderr, flush=True)

    def go(self, steps):
        failed = set()
        with Fleet(self.bench) as fleet:
            for number, step in enumerate(steps, 1):
                if self.left() <= 0:
                    print(f"echo_bench: out of time; {len(steps) - number + 1} runs are left out",
                          file=sys.stderr)
                    return
                if (step.case, step.server) in failed:
                    continue
                try:
                    told = self.try_twice(fleet, step)
                except Unmeasured as reason:
                    failed.add((step.case, step.server))
                    self.record("gap", step, reason=str(reason))
                    told = f"– {reason}"
                if told:
                    self.progress(number, len(steps), step, told)


def facts(bench, options):
    host = host_facts(Facts(bench))
    host["governor"] = first_match(
        r"(\S+)", f"/sys/devices/system/cpu/cpu{bench.server_cpu}/cpufreq/scaling_governor",
        "none to be seen")
    host["kept"] = {name: getattr(options, name)
                    for name in ("rounds", "seconds", "warmup", "foreign", "near", "retries")}
    return host


class Facts:
    """What host_facts() wants to know."""

    def __init__(self, bench):
        self.server_cpus, self.client_cpus = (bench.server_cpu,), (bench.load_cpu,)


def put_away(folder):
    for path in folder.glob("*.jsonl"):
        (folder / "old").mkdir(exist_ok=True)
        path.rename(folder / "old" / path.name)


def command_line():
    words = shlex.join(sys.argv[1:])
    return f"make bench BENCH_ARGS={shlex.quote(words)}" if words else "make bench"


def main():
    options = parse()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    now = datetime.now(timezone.utc)
    name = now.strftime("%Y%m%d-%H%M%S")
    path = options.out / f"echo-{name}.jsonl"
    bench = make_bench(options)
    judge = Judge(options.bin / "core-probe", (bench.server_cpu, bench.load_cpu),
                  options.foreign, options.near)
    if options.anew:
        put_away(options.out)
    servers = choose_servers(options)
    refused = {server.name: refusal_of(bench, server) for server in servers}
    cases = [case for case in choose_cases(options)
             if case.kind != "spin" or bench.spin]
    journal = Journal(path)
    journal.add(type="session", session=name, date=now.strftime("%Y-%m-%d"),
                command=command_line(), host=facts(bench, options), modes=options.modes,
                spin=" ".join(bench.spin),
                servers=[{"name": s.name, "label": s.label, "ours": s.ours,
                          "refused": refused[s.name]} for s in servers])
    able = [server for server in servers if not refused[server.name]]
    for server in servers:
        if refused[server.name]:
            print(f"echo_bench: without {server.name}: {refused[server.name]}", file=sys.stderr)
    steps = [step for step in bench_plan.steps_of(cases, able, options.rounds)
             if not (step.warms_up and options.prewarm <= 0)]
    if options.quick:  # every peer once; the other ways to load by few
        steps = [step for step in steps if step.case.kind == "echo" or step.server.ours
                 or step.server.name == bench_plan.BASE]
    try:
        Session(options, bench, judge, journal, name).go(steps)
    except KeyboardInterrupt:
        print("\necho_bench: interrupted; what was measured is kept", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    print(path)


if __name__ == "__main__":
    main()
