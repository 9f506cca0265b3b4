"""SIGTERM in mid-stream, again and again: nothing that the server read may be lost or come twice.

What must hold of every drain, by lib/nio/loop/Drain.h:
- each client gets an exact prefix of what it has sent, then FIN, never RST;
- a client that had said all it had to say (FIN) before the signal gets all of it, also one that
  came so late that it may still wait in the backlog;
- the server exits with 0, and its last line says 0 aborted and 0 bytes lost;
- the account is exact: what all clients sent is what they got and what that line calls unread.
"""
import random
import re
import signal
import time
from statistics import median

from numbered import LONGEST_WINDOW, Crew, NumberedClient
from surroundings import PATIENCE_SECONDS, Row, Server

# Of three kinds, so that a drain meets them together: a little under way, much, and those that
# say FIN at about the time of the signal.
LITTLE, MUCH, LEAVING = 4 * 1024, LONGEST_WINDOW, 64 * 1024
WINDOWS = (LITTLE, MUCH, LEAVING)
STREAMS = 9
LATE = 2  # connect, send and say FIN right before the signal
CLIENTS = STREAMS + LATE
REPORT = re.compile(r"stopped: (\d+) connections drained, (\d+) aborted, (\d+) bytes lost"
                    r"(?:, (\d+) bytes unread)?$")


def streams_to(server):
    return [NumberedClient(number + 1, server.port, WINDOWS[number % len(WINDOWS)])
            for number in range(STREAMS)]


def late_client(number, server, length):
    client = NumberedClient(number, server.port, length)
    client.send()
    client.leave_at = 0
    client.leave_if_due()
    return client


def terminate(server, crew, chance):
    """SIGTERM at some moment soon; about then some leave, and some come. When it was sent."""
    moment = time.monotonic() + chance.uniform(0.02, 0.06)
    for client in crew.clients:
        if client.window == LEAVING:
            client.leave_at = moment + chance.uniform(-0.01, 0.01)
    time.sleep(max(0, moment - time.monotonic()))
    for number in range(STREAMS + 1, CLIENTS + 1):
        crew.late.put(late_client(number, server, chance.randrange(1, 8 * 1024)))
    began = time.monotonic()
    server.signal(signal.SIGTERM)
    crew.closed = True
    return began


def mistakes_in(accounts, began, code, found):
    """What does not hold, in words."""
    mistakes = []
    for number, account in enumerate(accounts, 1):
        if account.wrong_at is not None:
            mistakes.append(f"client {number}: byte {account.wrong_at} is not the one sent there")
        if account.reset or not account.fin:
            mistakes.append(f"client {number}: {'RST' if account.reset else 'no FIN'}")
        before = account.said_all_at is not None and account.said_all_at < began
        if before and account.received != account.sent:
            mistakes.append(f"client {number}: said all, {account.sent - account.received} missing")
    if code != 0:
        mistakes.append(f"exit code {code}")
    if not found:
        return [*mistakes, "the last line is not a report"]
    _, aborted, lost, unread = (int(word or 0) for word in found.groups())
    if aborted or lost:
        mistakes.append(f"{aborted} aborted, {lost} bytes lost")
    sent = sum(account.sent for account in accounts)
    received = sum(account.received for account in accounts)
    if sent != received + unread:
        mistakes.append(f"{sent} bytes sent, {received} came back, {unread} are called unread")
    return mistakes


def one_drain(setting, seed):
    chance = random.Random(seed)
    threads = chance.choice((1, 2, 4))
    with Server(setting, "--threads", threads, "--drain-timeout", "60s") as server:
        crew = Crew(streams_to(server), PATIENCE_SECONDS)
        crew.start()
        crew.echoed.wait(PATIENCE_SECONDS)
        began = terminate(server, crew, chance)
        code = server.wait(PATIENCE_SECONDS)
        took = time.monotonic() - began
        crew.join(PATIENCE_SECONDS)
        line = server.lines[-1] if server.lines else ""
    accounts = [client.account for client in crew.clients]
    found = REPORT.search(line)
    return {
        "seed": seed,
        "threads": threads,
        "seconds": took,
        "sent": sum(account.sent for account in accounts),
        "received": sum(account.received for account in accounts),
        "saidAllBefore": sum((account.said_all_at or began) < began for account in accounts),
        "unread": int(found[4] or 0) if found else None,
        "lost": int(found[3]) if found else None,
        "exitCode": code,
        "lastLine": line,
        "wrong": sum(account.wrong_at is not None for account in accounts),
        "mistakes": mistakes_in(accounts, began, code, found),
    }


def drains(setting):
    runs = [one_drain(setting, setting.seed + i) for i in range(setting.drains)]
    bad = [run for run in runs if run["mistakes"]]
    clean = len(runs) - len(bad)
    lost = sum(run["lost"] or 0 for run in runs)
    wrong = sum(run["wrong"] for run in runs)
    sent, received = (sum(run[name] for run in runs) for name in ("sent", "received"))
    unread = sum(run["unread"] or 0 for run in runs)
    rows = [
        Row(f"SIGTERM with {CLIENTS} numbered streams: drains without a mistake",
            "all", f"{clean} of {len(runs)}", clean == len(runs)),
        Row("bytes lost, as the server says", "0", f"{lost}", lost == 0),
        Row("streams in which a byte is lost, twice or another's", "0",
            f"{wrong} of {len(runs) * CLIENTS:,}", wrong == 0),
        Row("bytes sent, less those that came back and those that the server calls unread", "0",
            f"{sent - received - unread:,} of {sent:,}", sent == received + unread)]
    if not setting.quick:
        rows.append(Row("streams that had said FIN just before the signal: all of it came back",
                        "–", f"{sum(run['saidAllBefore'] for run in runs):,}"))
        rows.append(Row("a drain, s: median and longest", "–",
                        f"{median(run['seconds'] for run in runs):.2f} and "
                        f"{max(run['seconds'] for run in runs):.2f}"))
    for run in bad[:5]:
        rows.append(Row(f"seed {run['seed']}", "no mistake", "; ".join(run["mistakes"][:3]), False))
    return rows, runs
