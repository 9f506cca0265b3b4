"""Peers that send and never read: what the server keeps for them has a bound."""
import time

from surroundings import Client, Row, Server, default_bytes, help_of

BUDGET_MIB = 64
BUDGET_OPTION = "--memory-budget"
# Of what is kept beside the bytes themselves: handlers, keys, the heads of chunks, the allocator.
OVERHEAD_KIB = 16
# Not more is expected of one dispatcher that has a scratch buffer and a pool of its own.
BASE_KIB = 4 * 1024
# A peak is noticed every two seconds, and is one from so much on (apps/common/HeapTrimmer.h).
AFTER_SECONDS = 5
AFTER_MIB = 32


def bound_kib_of_one():
    """Above its high mark nothing more is read, but one read may come on top of it."""
    high = default_bytes("connection/StreamOptions.h", "outputHighMark")
    read = default_bytes("selector/Selector.h", "receiveBufferBytes")
    return (high + read) // 1024 + OVERHEAD_KIB


def answer_seconds(server):
    """How long one honest connection takes to be made and answered."""
    began = time.monotonic()
    server.echo_once()
    return time.monotonic() - began


def attack(setting, server, peers):
    """Memory and honest answers, while peers do not read and after they have gone."""
    seconds = setting.size(10, 2)
    figures = {"peers": peers, "beforeKib": server.resident_kib(), "peakKib": 0,
               "opened": 0, "answers": []}
    options = ["--misbehave", "never-read", "--connections", peers, "--size", "4Ki",
               "--duration", f"{seconds}s"]
    with Client(setting, server, *options) as client:
        end = time.monotonic() + seconds
        while time.monotonic() < end and client.process.poll() is None:
            figures["peakKib"] = max(figures["peakKib"], server.resident_kib())
            figures["opened"] = max(figures["opened"], server.count_descriptors())
            if len(figures["answers"]) < 20:
                figures["answers"].append(answer_seconds(server))
            time.sleep(0.05)
        report = client.report()
    figures["opened"] -= server.descriptors
    figures["received"] = report["bytesSent"]
    figures["made"] = report["connections"]["made"]
    server.wait_until_back()
    time.sleep(setting.size(AFTER_SECONDS, 0))
    figures["afterKib"] = server.resident_kib()
    return figures


def peers_row(figures):
    made, peers = figures["made"], figures["peers"]
    return Row("peers that came", "all", f"{made:,} of {peers:,}", made == peers)


def left_row(setting, figures):
    left = (figures["afterKib"] - figures["beforeKib"]) / 1024
    return Row(f"memory {AFTER_SECONDS} s after they have gone, above that before, MiB",
               f"≤ {AFTER_MIB}", f"{left:,.1f}", None if setting.quick else left <= AFTER_MIB)


def without_budget(setting, peers):
    with Server(setting) as server:
        figures = attack(setting, server, peers)
        code, _ = server.end()
    grown = figures["peakKib"] - figures["beforeKib"]
    bound = peers * bound_kib_of_one() + BASE_KIB
    rows = [
        peers_row(figures),
        Row(f"{peers:,} peers that never read: memory that they cost, MiB",
            f"≤ {bound / 1024:,.0f} ({bound_kib_of_one()} KiB each: high mark and one read)",
            f"{grown / 1024:,.0f}", grown <= bound),
        left_row(setting, figures),
        Row("new connections that came and were answered meanwhile, longest, ms", "all answered",
            f"{len(figures['answers'])}, {1000 * max(figures['answers']):.1f}", True),
        Row("exit code after that", "0", str(code), code == 0)]
    return rows, figures


def with_budget(setting, peers):
    """What the overload actions do with honest peers is a matter of docs/limits.md."""
    with Server(setting, BUDGET_OPTION, f"{BUDGET_MIB}Mi") as server:
        figures = attack(setting, server, peers)
        code, _ = server.end()
        actions = server.complaints_with("memory budget")
    grown = figures["peakKib"] - figures["beforeKib"]
    bound = BUDGET_MIB * 1024 + peers * OVERHEAD_KIB + BASE_KIB
    rows = [
        peers_row(figures),
        Row("lines of the log that say what the budget did", "some", f"{actions:,}",
            None if setting.quick else actions > 0),
        Row(f"the same with {BUDGET_OPTION} {BUDGET_MIB}Mi: memory, MiB",
            f"≤ {bound / 1024:,.0f}", f"{grown / 1024:,.0f}", grown <= bound),
        Row("exit code after that", "0", str(code), code == 0)]
    return rows, figures


def never_read(setting):
    peers = setting.size(1000, 50)
    rows, figures = without_budget(setting, peers)
    runs = [figures]
    if BUDGET_OPTION in help_of(setting.programs / "echo-server"):
        more, figures = with_budget(setting, peers)
        rows, runs = rows + more, [*runs, figures]
    return rows, runs
