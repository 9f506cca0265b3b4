"""What honest connections notice of bad ones beside them: slowloris, and one that floods.

Three legs in turn, round after round: the honest ones alone, the honest ones while the server is
attacked, and the honest ones while the same attack goes to another server, which shares the CPU of
the load: what that leg shows, the load side and the machine have done.
"""
import time
from contextlib import ExitStack
from statistics import median

from surroundings import Client, Row, Server, awake, errors_in

LEGS = ("alone", "attacked", "elsewhere")
EVERY_SECONDS = 5


class Honest:
    """The load whose latency counts: an open loop, so that a stall is seen."""

    def __init__(self, setting, connections, rate, framing="raw"):
        self.setting, self.connections, self.rate = setting, connections, rate
        self.framing = framing
        self.seconds = setting.size(3.0, 0.5)

    def measure(self, server):
        options = ["--connections", self.connections, "--rate", self.rate, "--duration",
                   self.seconds, "--warmup", self.setting.size(0.5, 0.1), "--timeout", "60s",
                   "--framing", self.framing]
        with Client(self.setting, server, *options, cpu=self.setting.load_cpu) as client:
            report = client.report()
        return {
            "p50": report["latencyMicroseconds"]["p50"],
            "p99": report["latencyMicroseconds"]["p99"],
            "lateP99": report["latenessMicroseconds"]["p99"],
            "loadBusy": max(each["busy"] for each in report["dispatchers"]),
            "valid": not report["warning"],
            "echoes": report["echoes"],
            "errors": errors_in(report),
        }


# --- attacks -------------------------------------------------------------------------------------


class Slowloris:
    """Messages that never end: where bytes are echoed as they come, each has its answer at once."""

    name = "slowloris"

    def __init__(self, setting, framing):
        self.setting, self.framing = setting, framing
        self.connections = setting.size(5000, 500)
        self.kept = self.made = 0

    def begin(self, stack, server):
        options = ["--misbehave", "slowloris", "--connections", self.connections,
                   "--every", f"{EVERY_SECONDS}s", "--duration", "600s",
                   "--framing", self.framing]
        client = stack.enter_context(
            Client(self.setting, server, *options, cpu=self.setting.load_cpu, behind=True))
        server.wait_until(
            lambda: server.count_descriptors() >= server.descriptors + self.connections,
            f"{self.connections:,} connections are open")
        time.sleep(self.setting.size(0.5, 0))  # what the connects have begun is over then
        return client

    def end(self, client, server):
        client.interrupt()
        report = client.report()
        server.wait_until_back()
        made = report["connections"]["made"]
        kept = report["connections"]["keptToTheEnd"]
        self.made, self.kept = self.made + made, self.kept + kept
        return {"made": made, "kept": kept, "bytes": report["bytesSent"]}


class Flood:
    name = "flood"

    def __init__(self, setting):
        self.setting = setting
        self.errors = 0
        self.megabytes = []

    def begin(self, stack, server):
        options = ["--connections", 1, "--pipeline", 64, "--size", "64Ki", "--duration", "600s",
                   "--timeout", "60s"]
        before = server.count_descriptors()
        client = stack.enter_context(
            Client(self.setting, server, *options, cpu=self.setting.load_cpu, behind=True))
        # Before that a signal would end it without a report.
        server.wait_until(lambda: server.count_descriptors() > before, "the flood has begun")
        time.sleep(self.setting.size(1.0, 0.5))
        return client

    def end(self, client, server):
        client.interrupt()
        report = client.report()
        server.wait_until_back()
        self.errors += errors_in(report)
        self.megabytes.append(report["megabytesPerSecond"])
        return {"megabytesPerSecond": report["megabytesPerSecond"], "errors": errors_in(report)}


# --- the rounds ----------------------------------------------------------------------------------


def one_leg(leg, honest, attack, server, other):
    if leg == "alone":
        return honest.measure(server)
    with ExitStack() as stack:
        target = server if leg == "attacked" else other
        client = attack.begin(stack, target)
        figures = honest.measure(server)
        figures["attack"] = attack.end(client, target)
    server.wait_until_back()
    return figures


def measure(setting, honest, attack):
    """All runs: a list of rounds, each with its legs."""
    rounds = []
    options = ["--threads", 1, "--framing", honest.framing]
    with awake(set() if setting.quick else {setting.server_cpu, setting.load_cpu}), \
            Server(setting, *options, cpu=setting.server_cpu) as server, \
            Server(setting, *options, cpu=setting.load_cpu, behind=True) as other:
        for _ in range(setting.rounds):
            rounds.append({leg: one_leg(leg, honest, attack, server, other) for leg in LEGS})
        server.end()
        other.end()
    return rounds


def is_trusted(legs):
    """The load's own verdict on itself: late, or busy all the time, and it was not the server."""
    return legs["alone"]["valid"] and legs["attacked"]["valid"]


def medians(rounds, name):
    return {leg: median(legs[leg][name] for legs in rounds) for leg in LEGS}


def latency_rows(rounds, who, most, words):
    """p99 beside the attack against p99 alone: the ratio of each round, and their median."""
    counted = [legs for legs in rounds if is_trusted(legs)] or rounds
    trusted = sum(map(is_trusted, rounds))
    ratios = [legs["attacked"]["p99"] / legs["alone"]["p99"] for legs in counted]
    others = [legs["elsewhere"]["p99"] / legs["alone"]["p99"] for legs in counted]
    shares = [legs["attacked"]["p99"] / legs["elsewhere"]["p99"] for legs in counted]
    p99, late = medians(counted, "p99"), medians(counted, "lateP99")
    busy = max(legs[leg]["loadBusy"] for legs in counted for leg in ("alone", "attacked"))
    enough = trusted * 2 > len(rounds)
    return [
        Row(f"p99 of {who}, against the same alone", words,
            f"{median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})",
            median(ratios) <= most if enough else None),
        Row("the same p99 while the attack goes to another server", "–",
            f"{median(others):.2f} ({min(others):.2f}–{max(others):.2f})"),
        Row("the server's own part: attacked, against the attack elsewhere", "–",
            f"{median(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})"),
        Row("p99 alone / attacked / attack elsewhere, µs", "–",
            " / ".join(f"{p99[leg]:,.0f}" for leg in LEGS)),
        Row("how late the load itself was, p99 of these, µs", "–",
            " / ".join(f"{late[leg]:,.0f}" for leg in LEGS)),
        Row("the load's busiest thread", "–", f"{busy:.0%} of a CPU"),
        Row("rounds in which the load calls its own result valid", "more than half",
            f"{trusted} of {len(rounds)}", enough),
    ]


def mistakes_row(rounds):
    errors = sum(legs[leg]["errors"] for legs in rounds for leg in LEGS)
    echoes = sum(legs[leg]["echoes"] for legs in rounds for leg in LEGS)
    return Row("errors among the honest messages", "0", f"{errors} of {echoes:,}", errors == 0)


def slowloris(setting, framing="raw"):
    attack = Slowloris(setting, framing)
    rounds = measure(setting, Honest(setting, 100, 2000, framing), attack)
    # Where it is quick one may be interrupted before it has noticed all its connects.
    wanted = 2 * attack.connections * len(rounds)
    rows = [
        Row(f"{attack.connections:,} connections with a byte every {EVERY_SECONDS} s: kept open",
            "all", f"{attack.kept:,} of {attack.made:,}",
            attack.kept == attack.made and wanted >= attack.made > 0 and
            (setting.quick or attack.made == wanted)),
        mistakes_row(rounds)]
    if not setting.quick:
        rows += latency_rows(rounds, "100 active ones", 1.2, "≤ 1.20")
    return rows, rounds


def slowloris_packets(setting):
    return slowloris(setting, "stx-etx")


def flood(setting):
    attack = Flood(setting)
    rounds = measure(setting, Honest(setting, 99, 2000), attack)
    served = [legs["attacked"]["attack"]["megabytesPerSecond"] for legs in rounds]
    rows = [
        Row("errors of the connection that floods", "0", f"{attack.errors}", attack.errors == 0),
        mistakes_row(rounds)]
    if not setting.quick:
        rows.append(Row("what the flood gets back, MB/s", "–", f"{median(served):,.0f}"))
        rows += latency_rows(rounds, "99 quiet ones", 2.0, "≤ 2.00")
    return rows, rounds
