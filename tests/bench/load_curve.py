#!/usr/bin/env python3
"""CPU per message below the maximum: echo-server beside peers, or sms-router, in an open loop.

load_curve.py echo|router [--bin DIRECTORY] [--shares LIST] [--connections N] [--closed]
                          [--moderation LIST] [--rounds N] [--seconds S] [--write FILE]

First the maximum of the first server is measured; then each server serves the shares of it, in turn,
round after round. --closed adds one connection that sends a message after each answer. A row per load
and server: medians of CPU time (user and system), latency, and of what a message takes: turns of the
event loop, wake-ups (voluntary context switches), system calls, and crossings (tasks, for the router:
messages handed from dispatcher to dispatcher). System calls are counted by perf in a run of their
own; without perf, and for peers without metrics, the cell is empty. The server is on the first CPU,
the load on the second. Exit 1 if an answer is wrong.
"""
import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from bench_table import row
from experiment_plot import COLORS, Line, Panel, figure, number
from router_bench import host
from router_programs import Program, Router, Smsc, Trouble, router_config

PEERS = ("epoll", "uring", "asio", "libevent", "libev", "libuv")
COLUMNS = ["load", "server", "msg/s", "CPU µs", "ratio", "p50 µs", "p99 µs", "p99.9 µs", "turns",
           "wake-ups", "system calls", "tasks"]
NEIGHBOURS = (
    "The proxy on node-smpp (`tests/bench/node_proxy.js`) passes each submit_sm to the next of its "
    "binds, and the answer back; it has no accounts, routes or receipts. It has rows where "
    "`tests/interop/deps.sh` has installed node-smpp. Kannel has none: clients reach its bearerbox "
    "by HTTP only, because Debian does not package the box that takes their SMPP (opensmppbox). "
    "`tests/bench/door_cost.py --kannel` measures its HTTP interface.")
# Of the plot: title, unit, place among the figures of a point, whether on a log scale.
PANELS = [
    ("CPU per message", "µs", 1, True),
    ("CPU per message, first server = 1", "ratio", -1, False),
    ("p50 round trip", "µs", 2, True),
    ("p99 round trip", "µs", 3, True),
]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["echo", "router"])
    parser.add_argument("--bin", type=Path, default=Path("build/bin"))
    parser.add_argument("--shares", default="1,5,20,50,90,100", help="of the maximum, in per cent")
    parser.add_argument("--rates", help="messages per second instead of shares; 0: the maximum")
    parser.add_argument("--connections", type=int, default=50, metavar="N", help="router: binds")
    parser.add_argument("--closed", action="store_true",
                        help="also one connection that sends a message after each answer")
    parser.add_argument("--moderation", default="0,200us", help="of our servers, one for each")
    parser.add_argument("--selectors", default="auto", help="of our servers, one for each")
    parser.add_argument("--against", type=Path, metavar="DIRECTORY", help="another build's programs")
    parser.add_argument("--peers", default=",".join(PEERS), help="echo servers of bin/peers")
    parser.add_argument("--node", type=Path, default=Path("build/interop"), metavar="DIRECTORY",
                        help="router: where tests/interop/deps.sh has installed node-smpp")
    parser.add_argument("--receipts", action="store_true", help="router: with delivery receipts")
    parser.add_argument("--upstream", type=int, default=4, help="router: binds to the SMSC")
    parser.add_argument("--threads", type=int, default=1, help="dispatchers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3, help="measured, after one of warm-up")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the table")
    parser.add_argument("--plot", type=Path, metavar="FILE",
                        help="CPU and latency over the load, as SVG")
    return parser.parse_args()


@dataclass(frozen=True)
class Load:
    """Without a rate each connection sends as soon as its window allows."""

    title: str
    rate: int
    connections: int
    window: int = 100  # messages in flight per connection, of the router's load

    def is_of_curve(self):
        return self.window > 1


def cpus():
    found = sorted(os.sched_getaffinity(0))
    return (found[0], found[1]) if len(found) > 1 else (None, None)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def metric(text, name):
    found = re.findall(rf"^{name}(?:{{[^}}]*}})? ([\d.e+]+)$", text, re.MULTILINE)
    return sum(map(float, found)) if found else None


def voluntary_switches(pid):
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        found = re.search(r"^voluntary_ctxt_switches:\s*(\d+)", (task / "status").read_text(), re.M)
        total += int(found[1])
    return total


def variants(options):
    """(folder, selector, moderation) of each server; the one it is compared with has no moderation."""
    for folder in filter(None, (options.against, options.bin)):
        for selector in options.selectors.split(","):
            for moderation in options.moderation.split(","):
                if folder != options.against or moderation == "0":
                    yield folder, selector, moderation


class Counts:
    """What a server's process has done so far."""

    def __init__(self, pid, metrics_port):
        self.switches = voluntary_switches(pid)
        text = ""
        if metrics_port:
            url = f"http://127.0.0.1:{metrics_port}/metrics"
            with urllib.request.urlopen(url, timeout=30) as answer:
                text = answer.read().decode()
        self.turns = metric(text, "nio_turns_total")
        self.tasks = metric(text, "nio_tasks_total")

    def since(self, before, messages):
        def each(now, then):
            return None if now is None or then is None else (now - then) / messages

        return {"turns": each(self.turns, before.turns), "tasks": each(self.tasks, before.tasks),
                "wake-ups": each(self.switches, before.switches)}


class SystemCalls:
    """Those of a process while perf runs."""

    def __init__(self, pid, seconds):
        self.perf = None
        if not shutil.which("perf"):
            return
        self.perf = subprocess.Popen(
            ["perf", "stat", "-x,", "-e", "raw_syscalls:sys_enter", "-p", str(pid), "--", "sleep",
             str(seconds)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def count(self):
        if self.perf is None:
            return None
        said = self.perf.communicate()[1]
        found = re.search(r"^(\d+),", said, re.MULTILINE)
        return int(found[1]) if found and self.perf.returncode == 0 else None


class EchoWorld:
    """One echo server, ours or a peer's, and echo-client."""

    def __init__(self, options, name, command):
        self.options, self.name = options, name
        self.metrics = free_port() if "echo-server" in command[0] else None
        port = free_port()
        words = [str(word).format(port=port, threads=options.threads) for word in command]
        if self.metrics:
            words += ["--metrics", f"127.0.0.1:{self.metrics}"]
        self.port = port
        self.server = Program(words, cpus()[0], errors=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise Trouble(f"{name}: does not answer")

    @staticmethod
    def servers(options):
        for folder, selector, moderation in variants(options):
            command = [str(folder / "echo-server"), "--port", "{port}", "--threads",
                       "{threads}", "--selector", selector]
            command += ["--moderation", moderation] if moderation != "0" else []
            yield name_of("echo-server", options, folder, selector, moderation), command
        for peer in filter(None, options.peers.split(",")):
            program = options.bin / "peers" / peer
            if program.exists():
                yield peer, [str(program), "{port}", "{threads}"]

    @property
    def pid(self):
        return self.server.pid

    def load(self, load, seconds):
        """Messages per second, CPU per message, p50, p99, p99.9."""
        command = [self.options.bin / "echo-client", "--port", self.port, "--connections",
                   load.connections, "--threads", 1, "--warmup", "1s", "--duration", f"{seconds}s",
                   "--server-pid", self.pid, "--json", "-"]
        if load.rate:
            command += ["--arrivals", "poisson", "--rate", load.rate, "--pipeline", 1024]
        prefix = ["taskset", "-c", str(cpus()[1])] if cpus()[1] is not None else []
        ran = subprocess.run([*prefix, *map(str, command)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=seconds + 120, check=False)
        if ran.returncode not in (0, 5):
            raise Trouble(f"{self.name}: echo-client: {ran.stderr.strip()}")
        said = json.loads(ran.stdout)
        latency = said["latencyMicroseconds"]
        return [said["echoesPerSecond"], said["serverProcess"]["cpuMicrosecondsPerEcho"],
                latency["p50"], latency["p99"], latency["p99.9"]]

    def end(self):
        self.server.kill()


class NodeProxy(Program):
    """node_proxy.js, which is in the router's place."""

    def __init__(self, options, smsc):
        command = ["env", f"NODE_PATH={options.node / 'node_modules'}", "node",
                   Path(__file__).with_name("node_proxy.js"), smsc.port, options.upstream]
        super().__init__(command, cpus()[0])
        self.port = int(self.wait_for_line(r"^node proxy listening on \S+:(\d+)$")[1])

    @staticmethod
    def is_here(options):
        return shutil.which("node") and (options.node / "node_modules/smpp").exists()


class RouterWorld:
    """sms-router, or without settings NodeProxy, between smpp-bench's SMSC and its ESMEs."""

    def __init__(self, options, name, settings):
        self.options, self.name = options, name
        self.scratch = tempfile.TemporaryDirectory(prefix="load-curve-")
        folder = Path(self.scratch.name)
        # The same delay for each would repeat a burst of submits as one of receipts, for ever.
        smsc = ["--receipt-delay", "exp:50ms", "--deliver-window", "1000"]
        self.smsc = Smsc(options.bin, smsc, cpus()[1])
        self.metrics = free_port() if settings else None
        self.server = self.router(folder, settings) if settings else NodeProxy(options, self.smsc)
        self.smsc.wait_for_binds(options.upstream)

    def router(self, folder, settings):
        config = router_config(folder, self.smsc.port, durability="memory",
                               transceivers=self.options.upstream, threads=self.options.threads)
        programs, *settings = settings
        settings += [f"admin.port={self.metrics}"]
        return Router(programs, folder, config, settings, cpus()[0])

    @staticmethod
    def servers(options):
        for folder, selector, moderation in variants(options):
            settings = [folder, f"router.selector={selector}"]
            if folder != options.against:
                settings.append(f"router.moderation={moderation}")
            yield name_of("sms-router", options, folder, selector, moderation), settings
        if NodeProxy.is_here(options) and not options.receipts:
            yield "proxy on node-smpp", None

    @property
    def pid(self):
        return self.server.pid

    def load(self, load, seconds):
        arguments = ["--binds", load.connections, "--window", load.window, "--json", "--duration",
                     seconds + 1, "--warm-up", 1, "--server-pid", self.pid]
        arguments += ["--rate", load.rate] if load.rate else []
        if self.options.receipts:
            arguments += ["--registered", "--wait-receipts", 60, "--kind", "trx"]
        command = [self.options.bin / "smpp-bench", "esme", "--port", self.server.port,
                   "--accounts", "esme1:secret1,esme2:secret2", *arguments]
        with Program(command, cpus()[1]) as esme:
            esme.wait(seconds + 180)
            said = json.loads(esme.lines[-1])
        if said["complaints"]:
            raise Trouble(f"{self.name}: {'; '.join(said['complaints'])}")
        latency = said["latency_us"]
        return [said["rate"], said["server_cpu_us"], latency["p50"], latency["p99"],
                latency.get("p999")]

    def end(self):
        self.server.kill()
        self.smsc.kill()
        self.scratch.cleanup()


def name_of(program, options, folder, selector, moderation):
    words = [program]
    words += [selector] if selector != "auto" else []
    words += ["before"] if folder == options.against else []
    words += [f"moderation {moderation}"] if moderation != "0" else []
    return " ".join(words)


def measured(world, options, load):
    before = Counts(world.pid, world.metrics)
    figures = world.load(load, options.seconds)
    messages = figures[0] * (options.seconds + 1)
    return figures, Counts(world.pid, world.metrics).since(before, messages)


def calls_of(world, load):
    seconds = 2
    calls = SystemCalls(world.pid, seconds + 1)
    messages = world.load(load, seconds)[0] * (seconds + 1)
    count = calls.count()
    return None if count is None else count / messages


def curve(options, kind, servers, loads):
    rows, points = [], {name: [] for name, _ in servers}
    for load in loads:
        runs = {name: [] for name, _ in servers}
        calls = {}
        for number in range(options.rounds):
            for name, command in servers:
                world = kind(options, name, command)
                try:
                    if number == 0:
                        calls[name] = calls_of(world, load)
                    runs[name].append(measured(world, options, load))
                finally:
                    world.end()
        first = None
        for name, results in runs.items():
            figures = [medians(column) for column in zip(*(run[0] for run in results))]
            first = first or figures
            ratio = figures[1] / first[1]
            if load.is_of_curve() and figures[0] > 0.8 * load.rate:
                points[name].append((*figures, ratio if figures[0] > first[0] / 2 else None))
            each = {key: medians(run[1][key] for run in results) for key in results[0][1]}
            rows.append([load.title, name, f"{figures[0]:,.0f}", f"{figures[1]:.2f}",
                         f"{ratio:.2f}", *map(microseconds, figures[2:]),
                         *map(cell, (each["turns"], each["wake-ups"], calls[name], each["tasks"]))])
            print(row(rows[-1]), file=sys.stderr, flush=True)
    return rows, points


def plotted(points):
    """What a message costs, and how long it takes, over the load."""
    panels = []
    for title, unit, index, log in PANELS:
        lines = []
        for place, (name, runs) in enumerate(points.items()):
            line = Line(name, place % COLORS, dashed=place >= COLORS)
            for figures in runs:
                if figures[index] is None:
                    continue
                text = f"{name}, {figures[0]:,.0f}/s: {number(figures[index])} {unit}"
                line.points.append((figures[0], figures[index], text))
            lines.append(line)
        # Every server may have fallen short of every load.
        if not any(line.points for line in lines):
            continue
        unit = f"{unit}, log scale" if log else unit
        panels.append(Panel(title, unit, lines, log, "messages per second"))
    if not panels:
        raise Trouble("no server came near a load: there is nothing to plot")
    return figure([panels], "Cost and latency over the load")


def page(options, table):
    program = "echo-server" if options.kind == "echo" else "sms-router"
    runs = f"medians of {options.rounds} runs" if options.rounds > 1 else "one run"
    receipts = ", with receipts" if options.receipts else ""
    closed = ""
    if options.closed:
        closed = ' "One at a time" is one connection that sends a message after each answer.'
    parts = [f"# {program}: what a message costs below the maximum",
             f"{host()}. `tests/bench/load_curve.py {options.kind}`: {runs} of "
             f"{options.seconds:g} s after 1 s of warm-up, open loop, {options.connections} "
             f"connections{receipts}, {options.threads} dispatcher(s); the server has a CPU of its "
             "own, the "
             "load the other one. The shares are of the first server's maximum; the ratio is of "
             "CPU per message to the first server's. Turns, wake-ups (voluntary context switches), "
             f"system calls and tasks are per message.{closed}"]
    if options.kind == "router":
        parts.append(NEIGHBOURS)
    if options.plot:
        parts.append("The plot leaves out what fell short of the offered load by a fifth or more, "
                     "and ratios at less than half the first server's rate.")
        parts.append(f"![Cost and latency over the load]({options.plot.name})")
    return "\n\n".join([*parts, "\n".join(table)]) + "\n"


def medians(values):
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def microseconds(value):
    if value is None:
        return ""
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def cell(value):
    return "" if value is None else f"{value:.2f}"


def offered(options, kind, first):
    """The loads, by rates, or by shares of the first server's maximum."""
    def open_loop(title, rate):
        return Load(title, rate, options.connections)

    if options.rates:
        rates = [int(rate) for rate in options.rates.split(",")]
        loads = [open_loop(f"{rate:,}/s" if rate else "maximum", rate) for rate in rates]
    else:
        world = kind(options, *first)
        try:
            maximum = world.load(open_loop("maximum", 0), options.seconds)[0]
        finally:
            world.end()
        shares = [float(share) for share in options.shares.split(",")]
        loads = [open_loop(f"{share:g} %", int(maximum * share / 100) if share < 100 else 0)
                 for share in shares]
    return loads + ([Load("one at a time", 0, connections=1, window=1)] if options.closed else [])


def main():
    options = parse()
    kind = EchoWorld if options.kind == "echo" else RouterWorld
    servers = list(kind.servers(options))
    try:
        rows, points = curve(options, kind, servers, offered(options, kind, servers[0]))
    except Trouble as trouble:
        sys.exit(f"load_curve: {trouble}")
    lines = [row(COLUMNS), row(["---"] * 2 + ["--:"] * (len(COLUMNS) - 2)), *map(row, rows)]
    print("\n".join(lines))
    if options.write:
        options.write.write_text(page(options, lines), encoding="utf-8")
    if options.plot:
        options.plot.write_text(plotted(points), encoding="utf-8")


if __name__ == "__main__":
    main()
