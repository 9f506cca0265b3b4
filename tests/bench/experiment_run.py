"""One measurement: a model-server, an echo-client that loads it, and what /proc says meanwhile."""
import json
import os
import re
import select
import signal
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
SAMPLE_SECONDS = 0.1
PATIENCE_SECONDS = 20

# What echo-client's exit codes mean here; any other one is a failure.
EXIT_OK = 0


class Unmeasured(Exception):
    """There is no figure; says why."""


@dataclass(frozen=True)
class Series:
    """One line of a plot: a model and how many threads it is given."""

    key: str
    label: str
    arguments: tuple

    def threads_for(self, clients):
        """What the model must have at least when all of them are served."""
        return clients if self.arguments[0] == "thread-per-client" else 1


@dataclass(frozen=True)
class Load:
    clients: int
    work: str  # as model-server's --work
    seconds: float
    warmup: float
    message_bytes: int = 64


@dataclass(frozen=True)
class Bench:
    """The two programs, and the CPUs of each: no CPUs, no pinning."""

    server: str
    client: str
    server_cpus: tuple = ()
    client_cpus: tuple = ()


def pinned(cpus, command):
    return ["taskset", "-c", ",".join(map(str, cpus)), *command] if cpus else command


# --- what the system says -----------------------------------------------------------------------


def status_of(pid):
    """The numbers of /proc/PID/status, memory in KiB."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return {name: int(value) for name, value in re.findall(r"^(\w+):\s+(\d+)", text, re.MULTILINE)}


def cpu_seconds_of(pid):
    """User and system time of all threads."""
    after_name = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / TICKS_PER_SECOND


def kernel_stack_kib():
    """Of the whole system: no process is told its own."""
    text = Path("/proc/meminfo").read_text(encoding="utf-8")
    return int(re.search(r"KernelStack:\s+(\d+)", text)[1])


@dataclass(frozen=True)
class Sample:
    time: float
    server_cpu: float
    client_cpu: float
    rss_kib: int
    threads: int
    kernel_stack_kib: int


def sample(server_pid, client_pid):
    status = status_of(server_pid)
    return Sample(
        time.monotonic(),
        cpu_seconds_of(server_pid),
        cpu_seconds_of(client_pid),
        status["VmRSS"],
        status["Threads"],
        kernel_stack_kib(),
    )


# --- the two programs ---------------------------------------------------------------------------


class Server:
    """A model-server that listens; ends with the block that it is used in."""

    def __init__(self, bench, series, load):
        command = [bench.server, *series.arguments, "--port", "0", "--work", load.work]
        command += ["--size", str(load.message_bytes)]
        self.command = pinned(bench.server_cpus, command)
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        self.pid = self.process.pid

    def __enter__(self):
        readable, _, _ = select.select([self.process.stdout], [], [], PATIENCE_SECONDS)
        line = self.process.stdout.readline() if readable else ""
        match = re.search(r"listening on 127\.0\.0\.1:(\d+) ", line)
        if not match:
            self.__exit__()
            raise Unmeasured(f"model-server did not start: {self.complaint() or 'no ready line'}")
        self.port = match[1]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def complaint(self):
        self.errors.seek(0)
        return self.errors.readline().strip()


def client_command(bench, load, port, report):
    command = [bench.client, "--port", port, "--connections", str(load.clients)]
    command += ["--size", str(load.message_bytes), "--duration", str(load.seconds)]
    command += ["--warmup", str(load.warmup), "--timeout", "2s", "--json", report, "--quiet"]
    if bench.client_cpus:
        command += ["--threads", str(len(bench.client_cpus))]
    return pinned(bench.client_cpus, command)


def unfinished(load, samples):
    waited = load.warmup + load.seconds + PATIENCE_SECONDS
    threads = f"; model-server had {samples[-1].threads:,} threads" if samples else ""
    return f"the load had not ended after {waited:.0f} s{threads}"


def drive(bench, server, load, report):
    """Runs the client to its end: its exit code, its complaint, the samples of that time."""
    end = time.monotonic() + load.warmup + load.seconds + PATIENCE_SECONDS
    samples = []
    with tempfile.TemporaryFile("w+") as errors:
        client = subprocess.Popen(
            client_command(bench, load, server.port, report),
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        try:
            while client.poll() is None:
                if time.monotonic() > end:
                    raise Unmeasured(unfinished(load, samples))
                try:
                    samples.append(sample(server.pid, client.pid))
                except (OSError, KeyError):
                    if server.process.poll() is not None:
                        raise Unmeasured(f"model-server ended: {server.complaint()}") from None
                time.sleep(SAMPLE_SECONDS)
        finally:
            if client.poll() is None:
                client.kill()
            client.wait()
        errors.seek(0)
        return client.returncode, errors.readline().strip(), samples


# --- from what was seen to figures ---------------------------------------------------------------


def errors_in(part):
    if isinstance(part, dict):  # "wrongAnswer" is the sum of its kinds
        return sum(errors_in(value) for key, value in part.items() if key != "wrongAnswer")
    return part if isinstance(part, int) else 0


def trouble_in(report, exit_code):
    """Why this report does not count, or nothing."""
    connections = report["connections"]
    if connections["made"] < connections["asked"]:
        return f"{connections['made']:,} of {connections['asked']:,} clients connected"
    late = report["errors"].get("timedOut", 0)
    if late and late == errors_in(report["errors"]):
        return f"{late:,} messages were not answered within 2 s"
    if errors := errors_in(report["errors"]):
        return f"{errors:,} errors"
    if not report.get("echoes", 1):
        return "nothing was answered"
    if exit_code != EXIT_OK:
        return f"echo-client ended with exit code {exit_code}"
    return None


def loaded_part(samples, seconds):
    """First and last sample of a time in which the load was certainly on: the client goes on for
    the measured time before it ends, but for closing its connections and writing its report."""
    end = samples[-1].time
    inside = [s for s in samples if end - seconds <= s.time <= end - 0.35 * seconds]
    if len(inside) < 2:
        raise Unmeasured("too few samples")
    return inside[0], inside[-1]


def note_on(series, load, first, report):
    """What has to be known about a figure, or nothing."""
    if first.threads < series.threads_for(load.clients):
        return f"only {first.threads:,} threads when the measurement began"
    if report.get("warning"):
        return "the load generator was over 90 % busy"
    return None


def figures_of(report, samples, idle, load, series):
    first, last = loaded_part(samples, load.seconds)
    elapsed = last.time - first.time
    server_busy = (last.server_cpu - first.server_cpu) / elapsed
    rate = report["echoesPerSecond"]
    return {
        "echoesPerSecond": rate,
        "p99Milliseconds": report["latencyMicroseconds"]["p99"] / 1000,
        "rssGrowthMib": (max(s.rss_kib for s in samples) - idle.rss_kib) / 1024,
        "kernelStackGrowthMib":
            (max(s.kernel_stack_kib for s in samples) - idle.kernel_stack_kib) / 1024,
        "cpuMicrosecondsPerEcho": server_busy / rate * 1e6 if rate else None,
        "serverCpus": server_busy,
        "clientCpus": (last.client_cpu - first.client_cpu) / elapsed,
        "threads": max(s.threads for s in samples),
        "note": note_on(series, load, first, report),
    }


def measure(bench, series, load):
    """The figures of one run. Unmeasured where there are none."""
    with Server(bench, series, load) as server, tempfile.TemporaryDirectory() as folder:
        idle = sample(server.pid, server.pid)
        report_path = Path(folder) / "report.json"
        exit_code, complaint, samples = drive(bench, server, load, str(report_path))
        try:
            report = json.loads(report_path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            reason = complaint or f"echo-client ended with exit code {exit_code}"
            raise Unmeasured(reason) from None
        if trouble := trouble_in(report, exit_code):
            raise Unmeasured("; ".join(filter(None, [trouble, server.complaint()])))
        figures = figures_of(report, samples, idle, load, series)
        figures["peakMib"] = status_of(server.pid)["VmHWM"] / 1024
        return figures


def median_of(runs):
    """Of each figure; the lower one of two in the middle, so that it was measured. A note on one of
    the runs is a note on the median."""
    keys = [key for key in runs[0] if key != "note"]
    middle = {key: statistics.median_low([run[key] for run in runs]) for key in keys}
    middle["note"] = next((run["note"] for run in runs if run["note"]), None)
    return middle
