"""Peers that send and never read, against echo-server with and without a memory budget.

    python3 -B tests/bench/never_read.py build/bin --peers 1000 --budgets 0 64Mi

One line for each budget: resident memory of the server before, at its peak (VmHWM) and when the
peers have gone, and what its metrics say. The peers' receive buffers are small, so that what they do
not read is soon the server's.
"""
import json
import re
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from command_line import Parser, at_least, folder_with, more_than_zero  # noqa: E402

BLOCK = b"x" * 65536
RECEIVE_BUFFER = 4096
OWN_DESCRIPTORS = 100  # beside the peers'; the server has as many


class Trouble(Exception):
    pass


def resident_mib(pid, key):
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return round(int(re.search(key + r":\s+(\d+)", status)[1]) / 1024, 1)


def metric(url, name):
    with urllib.request.urlopen(url, timeout=30) as answer:
        text = answer.read().decode("utf-8")
    found = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE)
    return int(sum(map(float, found)))


def connect(port):
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    peer.connect(("127.0.0.1", port))
    peer.setblocking(False)
    return peer


def send_some(peer):
    """False: the server has ended the connection."""
    try:
        peer.send(BLOCK)
    except BlockingIOError:
        pass
    except OSError:
        return False
    return True


def press(port, peers, seconds, look):
    """How many of the peers the server has ended."""
    chooser = selectors.DefaultSelector()
    for _ in range(peers):
        chooser.register(connect(port), selectors.EVENT_WRITE)
    ended = 0
    end = time.monotonic() + seconds
    next_look = 0
    while (now := time.monotonic()) < end:
        for key, _ in chooser.select(0.05):
            if not send_some(key.fileobj):
                chooser.unregister(key.fileobj)
                key.fileobj.close()
                ended += 1
        if now > next_look:
            look()
            next_look = now + 0.05
    for key in list(chooser.get_map().values()):
        key.fileobj.close()
    return ended


def ready(server, said):
    """Its port and where its metrics are."""
    try:
        port = int(re.search(r"listening on \S+:(\d+)", server.stdout.readline())[1])
        return port, re.search(r"metrics at (\S+)", server.stdout.readline())[1]
    except TypeError:
        server.terminate()
        server.wait()
        said.seek(0)
        why = (said.read().splitlines() or ["it says nothing"])[-1]
        raise Trouble(f"echo-server does not start: {why}") from None


def measure(options, budget):
    command = [options.programs / "echo-server", "--port", "0", "--metrics", "0", "--stall-limit",
               "0", "--selector", options.selector, "--memory-budget", budget]
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=said, text=True) as server:
        try:
            port, url = ready(server, said)
            figures = {"budget": budget, "peers": options.peers,
                       "beforeMib": resident_mib(server.pid, "VmRSS"), "bufferedMib": 0}

            def look():
                buffered = metric(url, "nio_buffered_bytes") / 2**20
                figures["bufferedMib"] = max(figures["bufferedMib"], round(buffered, 1))

            figures["ended"] = press(port, options.peers, options.seconds, look)
            figures["peakMib"] = resident_mib(server.pid, "VmHWM")
            for name in ("paused", "refused", "dropped"):
                figures[name] = metric(url, f"nio_memory_budget_{name}_total")
            time.sleep(5)
            figures["afterMib"] = resident_mib(server.pid, "VmRSS")
            return figures
        finally:
            server.terminate()


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=folder_with("echo-server"), help="the folder it is in")
    parser.add_argument("--peers", type=at_least(1), default=1000)
    parser.add_argument("--seconds", type=more_than_zero, default=10, help="that they send for")
    parser.add_argument("--selector", default="auto", choices=["auto", "epoll", "poll", "select", "uring"])
    parser.add_argument("--budgets", nargs="+", default=["0", "64Mi"], help="0: none")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if options.peers + OWN_DESCRIPTORS > most:
        parser.error(f"{options.peers} peers are too many: {most} descriptors may be open")
    try:
        for budget in options.budgets:
            print(json.dumps(measure(options, budget)), flush=True)
    except (Trouble, OSError) as error:
        parser.error(error)


if __name__ == "__main__":
    main()
