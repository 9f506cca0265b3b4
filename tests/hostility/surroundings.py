"""What all scenarios share: the server as a child, echo-client as a child, and /proc."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/bench"), str(ROOT / "tests/support")]

from router_programs import Program, Trouble  # noqa: E402

READY = r"listening on 127\.0\.0\.1:(\d+) "
PATIENCE_SECONDS = 120
GREETING = b"\2hello\3"  # as raw bytes and as a packet between STX and ETX
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024
# Behind every other work on its CPU: whoever attacks must not keep those who measure waiting.
BEHIND_ALL_OTHERS = ["chrt", "--idle", "0"]


@dataclass
class Setting:
    """What a run is told."""

    programs: Path
    quick: bool
    rounds: int
    drains: int
    seed: int
    server_cpu: int
    load_cpu: int
    selector: str

    def size(self, long, short):
        return short if self.quick else long

    def prefix(self, cpu, behind):
        """The words before a program that say where it runs. None where it is quick: no figure of time
        counts, and on a busy machine who is behind all others does not run at all."""
        if self.quick:
            return []
        pinned = ["taskset", "-c", str(cpu)] if cpu is not None else []
        return pinned + (BEHIND_ALL_OTHERS if behind else [])


@dataclass
class Row:
    """One figure: what was asked, what was measured. `met` absent: nothing was asked."""

    what: str
    asked: str
    measured: str
    met: bool | None = None


# --- the machine ---------------------------------------------------------------------------------

YIELD = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    os.sched_yield()
"""


@contextmanager
def awake(cpus):
    """A virtual CPU that has nothing to do is given away, and takes some 300 µs to come back: that
    would be the latency of a quiet server. Whoever wants it gets such a CPU at once all the same."""
    with ExitStack() as stack:
        for cpu in cpus:
            words = ["taskset", "-c", str(cpu), *BEHIND_ALL_OTHERS,
                     sys.executable, "-c", YIELD, str(os.getpid())]
            stack.callback(stack.enter_context(subprocess.Popen(words)).kill)
        yield


# --- the server ----------------------------------------------------------------------------------


class Server(Program):
    """The shipped echo-server, listening."""

    def __init__(self, setting, *options, cpu=None, behind=False, descriptors=None):
        limit = [f"--nofile={descriptors}:{descriptors}"] if descriptors else []
        words = ["prlimit", *limit] if limit else []
        words += setting.prefix(cpu, behind)
        words += [setting.programs / "echo-server", "--port", 0, "--selector", setting.selector]
        self.complaints = tempfile.TemporaryFile("w+")
        super().__init__([*words, *options], None, self.complaints)
        try:
            self.port = int(self.wait_for_line(READY)[1])
            self.descriptors = self.echo_once()
        except (Trouble, OSError):
            self.kill()
            raise

    def echo_once(self):
        """What it does once for all is done then. Its descriptors without this connection."""
        with self.connect() as client:
            client.sendall(GREETING)
            got = b""
            while len(got) < len(GREETING):
                if not (part := client.recv(64)):
                    raise Trouble("echo-server does not echo")
                got += part
            if got != GREETING:
                raise Trouble("echo-server does not echo")
            return self.count_descriptors() - 1

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    def count_descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def wait_until(self, condition, what, seconds=PATIENCE_SECONDS):
        end = time.monotonic() + seconds
        while not condition():
            if self.process.poll() is not None:
                raise Trouble(f"echo-server has ended with {self.process.returncode}")
            if time.monotonic() > end:
                raise Trouble(f"{what}: not within {seconds} s")
            time.sleep(0.01)

    def wait_until_back(self, before=None):
        """Until it has closed all that came: the descriptors are those of the beginning."""
        most = self.descriptors if before is None else before
        self.wait_until(lambda: self.count_descriptors() <= most, "the connections are closed")

    def resident_kib(self):
        words = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()
        return int(words[1]) * PAGE_KIB

    def cpu_seconds(self):
        """Of all its threads, by their own accounts."""
        return sum(map(thread_seconds, Path(f"/proc/{self.pid}/task").iterdir()))

    def cpu_share(self, seconds):
        """Percent of one CPU that it uses in an interval of that length from now on."""
        before, began = self.cpu_seconds(), time.monotonic()
        time.sleep(seconds)
        return 100 * (self.cpu_seconds() - before) / (time.monotonic() - began)

    def complaints_with(self, words):
        """How many lines of standard error say that."""
        self.complaints.seek(0)
        return sum(words in line for line in self.complaints)

    def end(self):
        """Drains it. Its exit code and its last line."""
        code = self.stop(PATIENCE_SECONDS)
        return code, self.lines[-1] if self.lines else ""


def thread_seconds(task):
    try:
        text = (task / "stat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    fields = text.rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def help_of(program):
    result = subprocess.run([str(program), "--help"], capture_output=True, text=True, check=False)
    return result.stdout


def default_bytes(header, name):
    """What a header of the library says: `name = 256 * 1024`."""
    text = (ROOT / "lib/nio" / header).read_text(encoding="utf-8")
    found = re.search(rf"\b{name} = ([\d *]+);", text)
    if not found:
        raise Trouble(f"{header} has no {name}")
    product = 1
    for factor in found[1].split("*"):
        product *= int(factor)
    return product


# --- echo-client ---------------------------------------------------------------------------------


class Client:
    """echo-client at work; its report once it has ended."""

    def __init__(self, setting, server, *options, cpu=None, behind=False):
        self.report_file = tempfile.NamedTemporaryFile(suffix=".json")
        command = [*setting.prefix(cpu, behind), setting.programs / "echo-client", "--port", server.port, "--quiet"]
        command += ["--threads", 1, "--json", self.report_file.name, *options]
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.report_file.close()

    def interrupt(self):
        """It ends early, with a report."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def report(self, seconds=PATIENCE_SECONDS):
        try:
            _, said = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Trouble(f"echo-client did not end within {seconds} s") from None
        text = Path(self.report_file.name).read_text(encoding="utf-8")
        if not text:
            raise Trouble(f"echo-client ended with {self.process.returncode}: {said.decode()}")
        return json.loads(text)


def errors_in(report):
    """How many of a load's messages and connections went wrong."""
    return sum(sum(each.values()) if isinstance(each, dict) else each
               for each in report["errors"].values())
