"""sms-router and the two ends of smpp-bench as child processes, for benchmarks and tests."""
import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

PATIENCE_SECONDS = 120


class Trouble(Exception):
    """A program did not do what it is there for; says what."""


class Program:
    """A child whose standard output is read line by line, as it comes."""

    def __init__(self, command, cpu=None, errors=None, cwd=None):
        self.name = Path(str(command[0])).name
        prefix = ["taskset", "-c", str(cpu)] if cpu is not None else []
        self.lines = []
        self._news = threading.Condition()
        self._ended = False
        self.process = subprocess.Popen(
            [*prefix, *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            errors="replace",
            cwd=cwd,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def _read(self):
        for line in self.process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def wait_for(self, found, what, seconds=PATIENCE_SECONDS):
        """The first true value of found(lines); Trouble when time or output end before it."""
        end = time.monotonic() + seconds
        with self._news:
            while True:
                if result := found(self.lines):
                    return result
                left = end - time.monotonic()
                if left <= 0 or self._ended:
                    why = "ended" if self._ended else f"{seconds} s are over"
                    said = "\n".join(self.lines[-5:])
                    raise Trouble(f"{self.name}: {what}: {why}; it said:\n{said}")
                self._news.wait(left)

    def wait_for_line(self, pattern, seconds=PATIENCE_SECONDS):
        """The match of the first line that has one."""
        return self.wait_for(
            lambda lines: next(filter(None, (re.search(pattern, line) for line in lines)), None),
            f"a line like '{pattern}' is awaited",
            seconds,
        )

    def wait_for_count(self, pattern, count, seconds=PATIENCE_SECONDS):
        """Until so many lines match."""
        return self.wait_for(
            lambda lines: sum(bool(re.search(pattern, line)) for line in lines) >= count,
            f"{count} lines like '{pattern}' are awaited",
            seconds,
        )

    @property
    def pid(self):
        return self.process.pid

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=PATIENCE_SECONDS):
        """Its exit code."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Trouble(f"{self.name} did not end within {seconds} s") from None
        with self._news:
            self._news.wait_for(lambda: self._ended, PATIENCE_SECONDS)
        return code

    def stop(self, seconds=PATIENCE_SECONDS):
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        return self.wait(seconds)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Smsc(Program):
    """smpp-bench smsc, listening."""

    def __init__(self, programs, options=(), cpu=None):
        super().__init__([Path(programs) / "smpp-bench", "smsc", *options], cpu)
        self.port = int(self.wait_for_line(r"^smsc listening on \S+:(\d+)$")[1])

    def counts(self):
        """What it has counted so far."""
        said = len(self.lines)
        self.signal(signal.SIGUSR1)
        return json.loads(self.wait_for(lambda lines: lines[said:], "its counts are awaited")[0])

    def wait_for_binds(self, count, seconds=PATIENCE_SECONDS):
        end = time.monotonic() + seconds
        while self.counts()["binds"] < count:
            if time.monotonic() > end:
                raise Trouble(f"smsc: {count} binds did not come within {seconds} s")
            time.sleep(0.02)

    def stop_and_count(self):
        if self.stop() != 0:
            raise Trouble("smsc did not end well")
        return json.loads(self.lines[-1])


class Router(Program):
    """sms-router with a configuration of its own, listening."""

    def __init__(self, programs, folder, config, settings=(), cpu=None):
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "router.toml"
        path.write_text(config, encoding="utf-8")
        command = [Path(programs).resolve() / "sms-router", "--config", path]
        for setting in settings:
            command += ["--set", setting]
        super().__init__(command, cpu)
        self.port = int(self.wait_for_line(r"^sms-router listening on \S+:(\d+)")[1])


def router_config(folder, smsc_port, **changes):
    """A whole router.toml: two accounts, one connector. `changes` names what is not as usual."""
    settings = {
        "threads": 1,
        "durability": "commit",
        "transceivers": 2,
        "upstream_window": 1000,
        "queue": 200_000,
        "account_window": 1000,
        "deliver_window": 100,
        "max_binds": 20_000,
        **changes,
    }
    accounts = "".join(
        f"""
[account.esme{number}]
password = "secret{number}"
numbers = ["{short_code}"]
max_binds = {settings["max_binds"]}
window = {settings["account_window"]}
deliver_window = {settings["deliver_window"]}
"""
        for number, short_code in ((1, "12345"), (2, "54321"))
    )
    return f"""[router]
threads = {settings["threads"]}

[listener.main]
host = "127.0.0.1"
port = 0
{accounts}
[connector.smsc]
host = "127.0.0.1"
port = {smsc_port}
system_id = "router"
password = "secret"
transceivers = {settings["transceivers"]}
window = {settings["upstream_window"]}
queue = {settings["queue"]}
reconnect_first = "100ms"

[[route]]
name = "all"
connector = "smsc"

[store]
durability = "{settings["durability"]}"
path = "{Path(folder) / "router.db"}"
"""


def memory_of(pid):
    """Resident memory and private, written memory of a process, in KiB."""
    fields = {}
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
    for line in text.splitlines()[1:]:
        name, value = line.split(":")
        fields[name] = int(value.split()[0])
    return fields["Rss"], fields["Private_Dirty"]


def cpu_count():
    return len(os.sched_getaffinity(0))
