"""What is measured: the servers, the cases, and the order of the runs. Nothing runs here."""
import itertools
from dataclasses import dataclass, field, replace
from pathlib import Path

# Ratios are to this one, in the same round.
BASE = "epoll"

CONNECTIONS = (1, 50, 1000, 10_000)
SIZES = (64, 4096)
DEPTHS = (1, 16)
CURVE = (10, 50, 100, 500, 1000, 3000, 5000, 10_000, 19_000)
IDLE_CONNECTIONS = 10_000
DISPATCHERS = (1, 2, 4)


@dataclass(frozen=True)
class Server:
    """Commands hold {threads}; the port is a free one, which the first line of output names."""

    name: str
    label: str
    command: tuple
    ours: bool = False
    framing: str = "raw"


@dataclass(frozen=True)
class Case:
    """kind: echo, curve, accept, idle, scale or spin. All but `idle` are loads in a closed loop."""

    kind: str
    connections: int
    size: int = 64
    depth: int = 1
    threads: int = 1
    aside: bool = field(default=False, compare=False)  # not every server takes part

    def __str__(self):
        text = f"{self.kind} {self.connections} x {self.size} B x {self.depth}"
        return text if self.threads == 1 else f"{text} on {self.threads} dispatchers"


@dataclass(frozen=True)
class Step:
    case: Case
    server: Server
    round: int
    warms_up: bool = False  # not recorded


def peer(folder, name, label, *way):
    return Server(name + "".join(f"-{word}" for word in way), label,
                  (str(folder / "peers" / name), "0", "{threads}", *way))


def ours(folder, name, label, *options, framing="raw"):
    command = (str(folder / "echo-server"), "--port", "0", "--threads", "{threads}",
               "--framing", framing, *options)
    return Server(name, label, command, True, framing)


def every_server(folder):
    """All that could be there."""
    folder = Path(folder)
    return [
        peer(folder, "epoll", "bare epoll"),
        peer(folder, "epoll", "bare epoll, fair", "fair"),
        peer(folder, "uring", "bare io_uring"),
        peer(folder, "libevent", "libevent (events)"),
        peer(folder, "libuv", "libuv"),
        peer(folder, "libev", "libev"),
        peer(folder, "asio", "Asio"),
        peer(folder, "threads", "thread per client"),
        ours(folder, "nio-epoll", "nio, epoll", "--selector", "epoll"),
        ours(folder, "nio-uring", "nio, io_uring", "--selector", "uring"),
        ours(folder, "nio-poll", "nio, poll", "--selector", "poll"),
        ours(folder, "nio-packets", "nio, packets", framing="length"),
        ours(folder, "nio-unwatched", "nio, epoll, unwatched", "--selector", "epoll",
             "--stall-limit", "0", "--flight-records", "0", "--memory-budget", "0"),
    ]


# Left out unless asked for by name: slow by nature, or only of interest where a mode says so.
OPTIONAL = {"nio-poll", "nio-packets", "nio-unwatched"}
WITH_PACKETS = {"idle"}
# A thread for each of so many clients takes what a machine has.
MOST_CONNECTIONS = {"threads": 10_000, "nio-poll": 1000}


def all_cells():
    """Every cell of connections x size x depth."""
    main = set(main_cells())
    cells = [Case("echo", *cell) for cell in itertools.product(CONNECTIONS, SIZES, DEPTHS)]
    return [cell if cell in main else replace(cell, aside=True) for cell in cells]


def main_cells():
    """The columns of the comparison with the peers."""
    cells = [(1, 64, 1), (50, 64, 1), (1000, 64, 1), (10_000, 64, 1), (50, 4096, 1), (50, 64, 16),
             (50, 4096, 16)]
    return [Case("echo", *cell) for cell in cells]


def cases_of(modes, cells):
    """The cases of each mode that was asked for, in order."""
    make = {
        "echo": lambda: cells,
        "accept": lambda: [Case("accept", 50), Case("accept", 50, threads=4)],
        "idle": lambda: [Case("idle", IDLE_CONNECTIONS)],
        "curve": lambda: [Case("curve", count) for count in CURVE],
        "scale": lambda: [Case("scale", 50, threads=count) for count in DISPATCHERS],
        "spin": lambda: [Case("spin", 1), Case("spin", 1000)],
    }
    return [case for mode in modes for case in make[mode]()]


# Peers beyond the bare loops say nothing about these.
BARE_AND_OURS = ("epoll", "nio-epoll", "nio-uring")
NARROW = {"curve": BARE_AND_OURS, "scale": BARE_AND_OURS,
          "accept": ("epoll", "libevent", "libuv", "asio", "nio-epoll", "nio-uring")}
# Of the cells that are no columns of the comparison: the loops, us, and the peers that come closest.
OF_ALL_CELLS = ("epoll", "uring", "libevent", "libev", "nio-epoll", "nio-uring")


def takes_part(server, case):
    if case.connections > MOST_CONNECTIONS.get(server.name, case.connections):
        return False
    if server.name == "nio-packets":
        return case.kind in WITH_PACKETS
    if case.kind == "spin" and case.connections > 1:
        return server.name in BARE_AND_OURS
    if case.kind in NARROW:
        return server.name in NARROW[case.kind]
    return case.kind != "echo" or not case.aside or server.name in OF_ALL_CELLS


def steps_of(cases, servers, rounds):
    """For each case a warm-up of each server, then all of them in turn, round after round."""
    for case in cases:
        taking_part = [server for server in servers if takes_part(server, case)]
        for server in taking_part:
            if case.kind != "idle":
                yield Step(case, server, 0, warms_up=True)
        for number in range(1, rounds_of(case, rounds) + 1):
            for server in taking_part:
                yield Step(case, server, number)


def rounds_of(case, rounds):
    """Memory does not vary as time does, and a curve has many points."""
    return min(rounds, {"idle": 2, "curve": 3}.get(case.kind, rounds))


def parse_cells(text):
    """'1:64:1,50:4096:16', or the names 'main' and 'all'."""
    if text in ("main", "all"):
        return main_cells() if text == "main" else all_cells()
    return [Case("echo", *map(int, cell.split(":"))) for cell in text.split(",")]
