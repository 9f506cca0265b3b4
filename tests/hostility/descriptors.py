"""The server has no descriptor left: those it has are served, it does not spin, and it recovers."""
import selectors
import time
from statistics import median

from surroundings import PATIENCE_SECONDS, Row, Server, Trouble

LIMIT = 256
WAITING = 60  # more than it can take
FREED = 100  # more than wait: all of them fit then
# What the program keeps for itself when it is told nothing (AcceptorOptions::maxConnections).
KEPT = 64
# How it comes to that: the server's options, and how it is seen that nothing more is taken.
WAYS = {
    # By itself it stays below the limit, the rest waits in the backlog.
    "by its own limit of connections": ((), lambda crowd: len(crowd.answered) >= LIMIT - KEPT),
    # It runs into EMFILE, and turns one away.
    "by the system's limit (EMFILE)": (("--max-connections", 100000),
                                       lambda crowd: crowd.turned_away > 0),
}


class Crowd:
    """Connections that have sent one byte, and how far each of them is."""

    def __init__(self, server):
        self.server = server
        self.ready = selectors.DefaultSelector()
        self.waiting, self.answered, self.turned_away = set(), [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in [*self.waiting, *self.answered]:
            client.close()
        self.ready.close()

    def add(self, count):
        for _ in range(count):
            client = self.server.connect()
            try:
                client.sendall(b"x")
            except OSError:  # turned away already
                self.turned_away += 1
                client.close()
                continue
            self.waiting.add(client)
            self.ready.register(client, selectors.EVENT_READ)

    def look(self, seconds=0.0):
        for key, _ in self.ready.select(seconds):
            client = key.fileobj
            try:
                answer = client.recv(16)
            except OSError:
                answer = b""
            self.ready.unregister(client)
            self.waiting.remove(client)
            if answer == b"x":
                self.answered.append(client)
            else:
                self.turned_away += 1
                client.close()

    def wait_until(self, condition, what):
        end = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > end:
                raise Trouble(f"{what}: not within {PATIENCE_SECONDS} s")
            self.look(0.01)

    def free(self, count):
        for client in self.answered[:count]:
            client.close()
        del self.answered[:count]

    def wait_for_a_pause(self):
        """Who has just turned one away looks again after a while, and has closed by then all that go
        now. Else one more might be turned away in between."""
        self.look()
        if before := self.turned_away:
            self.wait_until(lambda: self.turned_away > before, "one more is turned away")

    def are_served(self):
        """Whether those that it has are answered, every one."""
        for client in self.answered:
            client.settimeout(PATIENCE_SECONDS)
            client.sendall(b"y")
            if client.recv(16) != b"y":
                return False
        return True


def fill(crowd, is_full):
    """As many as are taken, and then so many more that wait."""
    while not is_full(crowd):
        crowd.add(1)
        crowd.wait_until(lambda: not crowd.waiting, "one more is answered, or turned away")
    crowd.add(WAITING)


def exhaust_and_free(setting, server, is_full):
    seconds = setting.size(1.0, 0.3)
    with Crowd(server) as crowd:
        fill(crowd, is_full)
        share = server.cpu_share(seconds)
        served = crowd.are_served()
        crowd.wait_for_a_pause()
        taken = len(crowd.answered)
        wanted = taken - FREED + len(crowd.waiting) + 1
        began = time.monotonic()
        crowd.free(FREED)
        crowd.add(1)
        crowd.wait_until(lambda: len(crowd.answered) > taken - FREED, "somebody is taken again")
        first = time.monotonic() - began
        crowd.wait_until(lambda: not crowd.waiting, "all that wait are taken")
        last = time.monotonic() - began
        figures = {"taken": taken, "cpuPercent": share, "served": served, "firstSeconds": first,
                   "allSeconds": last, "turnedAway": crowd.turned_away,
                   "wantedInTheEnd": wanted, "answeredInTheEnd": len(crowd.answered)}
    server.wait_until_back()
    return figures


def rows_of(setting, how, runs):
    every = [run["allSeconds"] for run in runs]
    shares = [run["cpuPercent"] for run in runs]
    served = sum(run["served"] for run in runs)
    away = sum(run["turnedAway"] for run in runs)
    all_came = sum(run["answeredInTheEnd"] == run["wantedInTheEnd"] for run in runs)
    rows = [
        Row(f"no descriptor left, {how}: connections that it has are answered",
            "all, every time", f"{served} of {len(runs)} times", served == len(runs)),
        Row("peers that were turned away meanwhile", "–", f"{away}"),
        Row(f"times in which all who waited were answered once {FREED} had gone", "all",
            f"{all_came} of {len(runs)}", all_came == len(runs))]
    if setting.quick:
        return rows
    return rows + [
        Row("CPU while there is none", "≤ 5 %", f"{max(shares):.1f} %", max(shares) <= 5),
        Row("until all of them were answered, s: median and longest", "≤ 1",
            f"{median(every):.3f} and {max(every):.3f}", max(every) <= 1)]


def descriptors(setting):
    rows, all_runs = [], []
    for how, (options, is_full) in WAYS.items():
        with Server(setting, *options, descriptors=LIMIT) as server:
            runs = [exhaust_and_free(setting, server, is_full)
                    for _ in range(setting.size(10, 1))]
            code, _ = server.end()
        rows += rows_of(setting, how, runs)
        rows.append(Row("exit code after that", "0", str(code), code == 0))
        all_runs += [dict(run, how=how) for run in runs]
    return rows, all_runs
