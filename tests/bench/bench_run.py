"""One run: a server, an echo-client that loads it, and what both say of it."""
import json
import os
import resource
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench_noise import busy_now
from experiment_run import Unmeasured, cpu_seconds_of
from router_programs import Program, Trouble

READY = r"listening on 127\.0\.0\.1:(\d+) "
START_SECONDS = 10
# Beyond warm-up and measured time, for connecting and for the last answers.
PATIENCE_SECONDS = 60
SETTLE_SECONDS = 10
# Many connections, or many bytes in flight, take a moment until all of them are served.
WARMUP_SECONDS_PER_CONNECTION = 3e-5
WARMUP_SECONDS_PER_BYTE = 3e-9
SPIN = "50us"
# Fits every framing: a packet behind its length.
FIRST_MESSAGE = b"\0\0\0\5first"


@dataclass
class Bench:
    """What all runs share."""

    programs: Path
    server_cpu: int
    load_cpu: int
    seconds: float
    warmup: float
    spin: list = field(default_factory=list)  # options of both sides; empty: they cannot


class Wrong(Unmeasured):
    """What came back is not what was sent: to try again would only hide it."""


class Running(Program):
    """A server that listens, and has echoed once."""

    def __init__(self, bench, server, threads, more=()):
        self.framing = server.framing
        words = [word.format(threads=threads) for word in server.command]
        if not os.access(words[0], os.X_OK):
            raise Unmeasured("was not built: its library was not found")
        self.complaints = tempfile.TemporaryFile("w+")
        super().__init__([*words, *more], bench.server_cpu, self.complaints)
        try:
            self.port = int(self.wait_for_line(READY, START_SECONDS)[1])
            self.echo_once()
        except (Trouble, OSError):
            self.kill()
            self.complaints.seek(0)
            said = self.complaints.readline().strip()
            raise Unmeasured(said or "did not start") from None
        self.descriptors = self.count_descriptors()

    def echo_once(self):
        """What a server does once for all connections is done then."""
        with socket.create_connection(("127.0.0.1", self.port), START_SECONDS) as client:
            client.settimeout(START_SECONDS)
            client.sendall(FIRST_MESSAGE)
            answer = b""
            while len(answer) < len(FIRST_MESSAGE) and (part := client.recv(64)):
                answer += part
            if answer != FIRST_MESSAGE:
                raise Trouble("does not echo")

    def count_descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def settle(self):
        """Until the connections of the last run are closed: that is nobody else's work."""
        end = time.monotonic() + SETTLE_SECONDS
        while self.count_descriptors() > self.descriptors and time.monotonic() < end:
            time.sleep(0.02)


def load_command(bench, case, running, report):
    under_way = case.connections * case.size * case.depth
    warmup = bench.warmup + max(case.connections * WARMUP_SECONDS_PER_CONNECTION,
                                under_way * WARMUP_SECONDS_PER_BYTE)
    command = [bench.programs / "echo-client", "--port", running.port]
    command += ["--server-pid", running.pid, "--framing", running.framing]
    command += ["--connections", case.connections, "--size", case.size, "--pipeline", case.depth]
    command += ["--duration", bench.seconds, "--warmup", f"{warmup:.2f}", "--timeout", "20s"]
    command += ["--threads", 1, "--selector", "epoll", "--quiet", "--json", report]
    if case.kind == "accept":
        command += ["--lifetime", "1msg", "--close", "rst"]
    if case.kind == "idle":
        command += ["--think", "1000s"]
    if case.kind == "spin":
        command += bench.spin
    return ["taskset", "-c", str(bench.load_cpu), *map(str, command)]


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_load(bench, running, case):
    """The report of echo-client, and how many CPUs others took meanwhile."""
    cpus = (bench.server_cpu, bench.load_cpu)
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = load_command(bench, case, running, report.name)
        busy, server, load = busy_now(cpus), cpu_seconds_of(running.pid), cpu_of_children()
        began = time.monotonic()
        try:
            ended = subprocess.run(command, capture_output=True, text=True, check=False,
                                   timeout=bench.seconds + bench.warmup + PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            raise Unmeasured("the load did not end") from None
        elapsed = time.monotonic() - began
        foreign = busy_now(cpus) - busy - (cpu_of_children() - load)
        if running.process.poll() is not None:
            raise Unmeasured("the server has ended")
        foreign -= cpu_seconds_of(running.pid) - server
        text = Path(report.name).read_text(encoding="utf-8")
    if not text:
        said = ended.stderr.strip().splitlines()
        raise Unmeasured(said[0] if said else f"echo-client ended with {ended.returncode}")
    return json.loads(text), max(foreign / elapsed, 0.0)


def trouble_in(report, case):
    """Why this report does not count, or nothing."""
    connections, errors = report["connections"], report["errors"]
    if connections["made"] < connections["asked"]:
        return f"{connections['made']:,} of {connections['asked']:,} connections were made"
    if counted := {name: count for name, count in errors.items() if count}:
        return f"errors: {counted}"
    # Nothing is to be answered while all are silent.
    if report["exitCode"] != 0 and case.kind != "idle":
        return f"echo-client ended with {report['exitCode']}"
    if report["serverProcess"] is None:
        return "the server's process could not be looked at"
    return None


def figures_of(report):
    """What is kept of a report: times in microseconds, memory in KiB."""
    process, latency = report["serverProcess"], report["latencyMicroseconds"]
    private, resident = process["privateDirtyKib"], process["residentKib"]
    return {
        "perSecond": report["echoesPerSecond"],
        "p50": latency["p50"],
        "p99": latency["p99"],
        "p999": latency["p99.9"],
        "cpu": process["cpuMicrosecondsPerEcho"],
        "user": process["userMicrosecondsPerEcho"],
        "system": process["systemMicrosecondsPerEcho"],
        "serverBusy": process["cpuSeconds"] / process["seconds"],
        "loadBusy": max(dispatcher["busy"] for dispatcher in report["dispatchers"]),
        "privateKib": private["after"] - private["before"],
        "residentKib": resident["after"] - resident["before"],
        "threads": process["threads"],
    }


def measure(bench, judge, running, case, wait_seconds):
    """The figures of one run, and what is to be said against them."""
    before = judge.wait_until_calm(wait_seconds)
    report, foreign = run_load(bench, running, case)
    if wrong := report["errors"]["wrongAnswer"]:
        raise Wrong(f"{wrong:,} answers were wrong")
    if trouble := trouble_in(report, case):
        raise Unmeasured(trouble)
    running.settle()
    after = judge.look()
    looks = [seen for seen in (before, after) if seen]
    figures = figures_of(report)
    figures["foreign"] = round(foreign, 3)
    figures["near"] = max((seen["near"] for seen in looks), default=None)
    # Nobody else's work makes a process write more pages.
    return figures, [] if case.kind == "idle" else judge.complaints(foreign, looks)


# --- what the programs can -----------------------------------------------------------------------


def help_of(program):
    result = subprocess.run([str(program), "--help"], capture_output=True, text=True, check=False)
    return result.stdout


def spin_options(server_help):
    """What lets echo-server, and echo-client in a closed loop, look for work before they sleep."""
    return ["--busy-poll", SPIN] if "\n  --busy-poll TIME" in server_help else []
