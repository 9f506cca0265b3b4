"""Connects and resets, with nothing, with half a packet, with much: nothing is left behind."""
import socket
import struct
import time

from surroundings import PATIENCE_SECONDS, Client, Row, Server, Trouble

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close() sends RST
IDLE_SECONDS = 5


def by_hand(server, count, payload):
    """Peers that send something and reset, whatever may have come back."""
    for _ in range(count):
        client = server.connect()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.setblocking(False)
        try:
            client.send(payload)
        except OSError:
            pass
        client.close()


def bare(setting, server):
    count = setting.size(20000, 500)
    with Client(setting, server, "--misbehave", "rst-storm", "--count", count, "--connections",
                64, "--duration", "600s") as client:
        return client.report(600)["connections"]["made"]


def answered(setting, server):
    with Client(setting, server, "--framing", "stx-etx", "--connections", 64, "--lifetime", "1msg",
                "--close", "rst", "--duration", setting.size(3, 0.5)) as client:
        report = client.report()
    if report["errors"]["wrongAnswer"]:
        raise Trouble("an answer was wrong")
    return report["echoes"]


def half(setting, server):
    count = setting.size(5000, 200)
    by_hand(server, count, b"\2" + b"half a packet" * 100)
    return count


def much(setting, server):
    count = setting.size(3000, 100)
    by_hand(server, count, b"\2many packets\3" * 5000)
    return count


STORMS = {
    "reset at once": bare,
    "reset after one answer": answered,
    "reset after half a packet": half,
    "reset with 70 kB in flight": much,
}


def settled_share(server):
    """For the short form: how busy it is once it has come to rest, whenever that is."""
    end = time.monotonic() + PATIENCE_SECONDS
    while (share := server.cpu_share(0.5)) > 5 and time.monotonic() < end:
        pass
    return share


def one_storm(setting, server, name):
    began = time.monotonic()
    count = STORMS[name](setting, server)
    took = time.monotonic() - began
    if not setting.quick:
        time.sleep(IDLE_SECONDS)
    server.wait_until_back()
    share = settled_share(server) if setting.quick else server.cpu_share(IDLE_SECONDS)
    return {"storm": name, "connects": count, "seconds": took, "cpuPercent": share,
            "descriptors": server.count_descriptors() - server.descriptors}


def storms(setting):
    rows, runs = [], []
    most = setting.size(1, 5)
    with Server(setting, "--framing", "stx-etx") as server:
        for name in STORMS:
            run = one_storm(setting, server, name)
            runs.append(run)
            rows += [
                Row(f"{name}, {run['connects']:,} times in {run['seconds']:.1f} s: CPU of all "
                    "dispatchers afterwards", f"≤ {most} %", f"{run['cpuPercent']:.2f} %",
                    run["cpuPercent"] <= most),
                Row("descriptors more than before", "0", str(run["descriptors"]),
                    run["descriptors"] == 0)]
        code, line = server.end()
    rows.append(Row("exit code after that", "0", str(code), code == 0))
    runs.append({"exitCode": code, "lastLine": line})
    return rows, runs
