#!/usr/bin/env python3
"""How many messages sms-router proxies, at what cost: ESMEs -> router -> SMSC and back.

router_bench.py [--bin DIRECTORY] [--seconds S] [--repeats N] [--quick] [--write FILE]

The router has one selector thread, on the first CPU; the SMSC and the ESMEs (smpp-bench) share the
second one. Every figure is the median of the repeats. Prints a page in Markdown, and writes it to the
FILE of --write. Exit 1 if an answer or a receipt was wrong.
"""
import argparse
import json
import os
import platform
import re
import signal
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from router_programs import Program, Router, Smsc, Trouble, memory_of, router_config

BINDS = [1, 50, 1000]
WINDOWS = [1, 10, 100]
DURABILITIES = ["memory", "commit"]
UPSTREAM_BINDS = 4
IDLE_BINDS = 10_000
CLIENTS = 2
HEADINGS = ["messages/s", "CPU µs/message", "p50 µs", "p99 µs", "RSS MiB"]
COMMAND = "make router-bench"
HEADING = "# sms-router: messages per second and their cost"


@dataclass(frozen=True)
class Load:
    durability: str
    binds: int
    window: int
    receipts: bool = False

    def __str__(self):
        more = " with receipts" if self.receipts else ""
        return f"{self.durability} {self.binds} x {self.window}{more}"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=Path("build/bin"))
    parser.add_argument("--seconds", type=float, default=4, help="measured, after one of warm-up")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one short run of each")
    parser.add_argument("--only", metavar="TEXT", help="loads whose name contains TEXT")
    parser.add_argument("--no-idle", action="store_true", help="leave idle binds out")
    parser.add_argument("--write", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.repeats = 1, 1
    return options


def loads():
    for durability in DURABILITIES:
        for binds in BINDS:
            for window in WINDOWS:
                yield Load(durability, binds, window)
        yield Load(durability, 50, 100, receipts=True)


class Bench:
    """The router between smpp-bench's SMSC and whoever binds."""

    def __init__(self, programs, durability):
        cpus = sorted(os.sched_getaffinity(0))
        self.programs = programs
        self.durability = durability
        self.router_cpu = cpus[0] if len(cpus) > 1 else None
        self.load_cpu = cpus[1] if len(cpus) > 1 else None

    def __enter__(self):
        self._scratch = tempfile.TemporaryDirectory(prefix="router-bench-")
        folder = Path(self._scratch.name)
        options = ["--receipt-delay", "50ms", "--deliver-window", "1000"]
        self.smsc = Smsc(self.programs, options, self.load_cpu)
        config = router_config(
            folder, self.smsc.port, durability=self.durability, transceivers=UPSTREAM_BINDS
        )
        self.router = Router(self.programs, folder, config, cpu=self.router_cpu)
        self.smsc.wait_for_binds(UPSTREAM_BINDS)
        return self

    def __exit__(self, *_):
        self.router.kill()
        self.smsc.kill()
        self._scratch.cleanup()

    def esme(self, *options):
        command = [self.programs / "smpp-bench", "esme", "--port", self.router.port]
        command += ["--accounts", "esme1:secret1,esme2:secret2", *options]
        return Program(command, self.load_cpu)


def measure(options, load):
    """The figures of one run."""
    with Bench(options.bin, load.durability) as bench:
        arguments = ["--binds", load.binds, "--window", load.window, "--json"]
        arguments += ["--duration", options.seconds + 1, "--warm-up", 1]
        arguments += ["--server-pid", bench.router.pid]
        if load.receipts:
            arguments += ["--registered", "--wait-receipts", 60, "--kind", "trx"]
        with bench.esme(*arguments) as esme:
            esme.wait(options.seconds + 180)
            figures = json.loads(esme.lines[-1])
        if figures["complaints"]:
            raise Trouble(f"{load}: {'; '.join(figures['complaints'])}")
        latency = figures["latency_us"]
        resident, _ = memory_of(bench.router.pid)
        return (
            figures["rate"],
            figures["server_cpu_us"],
            latency["p50"],
            latency["p99"],
            resident / 1024,
        )


def repeated(options, load):
    runs = [measure(options, load) for _ in range(options.repeats)]
    medians = [statistics.median(column) for column in zip(*runs)]
    cells = ", ".join(f"{name} {cell}" for name, cell in zip(HEADINGS, written(medians)))
    print(f"{load}: {cells}", file=sys.stderr, flush=True)
    return medians


def idle_memory(options):
    """Resident and private memory of the router per bind, in octets."""
    with Bench(options.bin, "memory") as bench:
        before = memory_of(bench.router.pid)
        each = IDLE_BINDS // CLIENTS
        idle = ["--binds", each, "--window", 0, "--duration", 600]
        clients = [bench.esme(*idle) for _ in range(CLIENTS)]
        try:
            for client in clients:
                bound = client.wait_for_line(r"^esme bound (\d+) binds", 120)
                if int(bound[1]) != each:
                    raise Trouble(f"idle binds: {bound[1]} of {each}")
            after = memory_of(bench.router.pid)
        finally:
            for client in clients:
                client.signal(signal.SIGTERM)
                client.kill()
        return [(end - begin) * 1024 / IDLE_BINDS for begin, end in zip(before, after)]


def written(figures):
    rate, cpu, p50, p99, resident = figures
    return [f"{rate:,.0f}", f"{cpu:.2f}", f"{p50:,.0f}", f"{p99:,.0f}", f"{resident:,.0f}"]


def row(cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def table(results):
    lines = [row(["Durability", "Binds", "Window", "Receipts", *HEADINGS])]
    lines.append(row(["---"] + ["---:"] * 2 + ["---"] + ["---:"] * len(HEADINGS)))
    for load, figures in results:
        receipts = "yes" if load.receipts else "no"
        lines.append(
            row([load.durability, load.binds, load.window, receipts, *written(figures)])
        )
    return "\n".join(lines)


def host():
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    cpus = len(os.sched_getaffinity(0))
    kernel = re.match(r"[\d.]*\d|", platform.release())[0]
    return f"{model[1] if model else platform.machine()}, {cpus} CPUs, Linux {kernel}"


def markdown(options, results, idle):
    runs = "one run" if options.repeats == 1 else f"medians of {options.repeats} runs"
    parts = [
        HEADING,
        f"{host()}. `{COMMAND}`: {runs} of {options.seconds:g} s after 1 s of warm-up. The router "
        "has one selector thread and a CPU of its own; the SMSC and the ESMEs share the other one, "
        f"and {UPSTREAM_BINDS} binds with a window of 1,000 go upstream. Messages have 120 octets "
        "of text. CPU is the router's, user and system, for a submit_sm and its answer (and its "
        "receipt, where there are receipts).",
        table(results),
    ]
    if idle:
        resident, private = idle
        parts.append(
            f"{IDLE_BINDS:,} idle binds: {private / 1024:.2f} KiB of user memory each "
            f"(private, written pages; resident {resident / 1024:.2f} KiB)."
        )
    return "\n\n".join(parts) + "\n"


def main():
    options = parse()
    wanted = [load for load in loads() if not options.only or options.only in str(load)]
    try:
        results = [(load, repeated(options, load)) for load in wanted]
        idle = None if options.no_idle else idle_memory(options)
    except Trouble as trouble:
        sys.exit(f"router_bench: {trouble}")
    text = markdown(options, results, idle)
    print(text, end="")
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
