"""The targets (bench_targets.json) beside what was measured. A missed one shows as missed."""
import json
from dataclasses import dataclass
from pathlib import Path

from bench_plan import BASE

TARGETS = Path(__file__).with_name("bench_targets.json")
# Of a case; a target may name any of them, and is about the cases that have them.
CASE_FIELDS = ("connections", "size", "depth", "threads")
# These are loops without a library: no peers.
BARE = {"epoll", "epoll-fair", "uring"}


@dataclass
class Cell:
    """One case of a target."""

    case: object  # a Case, or what else it is called
    value: float
    low: float
    high: float
    peer: str = ""  # the best one there, and its figure
    trusted: bool = True


@dataclass
class Outcome:
    target: dict
    cells: list

    def holds(self, cell):
        if "atMost" in self.target:
            return cell.value <= self.target["atMost"]
        return cell.value >= self.target["atLeast"]

    def met(self):
        """How many cells hold; None where nothing was measured."""
        return sum(map(self.holds, self.cells)) if self.cells else None

    def worst(self):
        worst = max if "atMost" in self.target else min
        return worst(self.cells, key=lambda cell: cell.value)


def load(path=TARGETS):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def demand(target):
    if "atMost" in target:
        return f"≤ {target['atMost']:.2f}"
    return f"≥ {target['atLeast']:.2f}"


def peers_of(results, case):
    """Servers of others, with a library, that were measured there."""
    ours = results.ours()
    return [name for name in results.runs[case] if name not in BARE and name not in ours]


def best_peer(results, case, figure, highest=False):
    """Name and median."""
    figures = [(results.median(case, name, figure), name) for name in peers_of(results, case)]
    figures = [(median.value, name) for median, name in figures if median]
    if not figures:
        return None
    value, name = max(figures) if highest else min(figures)
    return name, value


# --- the ways to measure a target ----------------------------------------------------------------


def by_ratio(results, target, case):
    base = target.get("base", BASE)
    ratio = results.ratio(case, target["server"], target["figure"], base)
    if not ratio:
        return None
    highest = "atLeast" in target
    found = best_peer(results, case, target["figure"], highest)
    peer = ""
    if found:
        other = results.ratio(case, found[0], target["figure"], base)
        peer = f"{results.labels()[found[0]]}: {other.value:.2f}" if other else ""
    return Cell(case, ratio.value, ratio.low, ratio.high, peer, ratio.trusted)


def by_value(results, target, case):
    median = results.median(case, target["server"], target["figure"])
    found = best_peer(results, case, target["figure"])
    peer = f"{results.labels()[found[0]]}: {found[1]:.2f}" if found else ""
    return median and Cell(case, median.value, median.low, median.high, peer, median.trusted)


def by_best_peer(results, target, case):
    found = best_peer(results, case, target["figure"])
    ratio = found and results.ratio(case, target["server"], target["figure"], found[0])
    if not ratio:
        return None
    peer = f"{results.labels()[found[0]]}: {found[1]:.2f} µs"
    return Cell(case, ratio.value, ratio.low, ratio.high, peer, ratio.trusted)


def by_memory(results, target, case):
    median = results.median(case, target["server"], "privateKib")
    found = best_peer(results, case, "privateKib")
    peer = ""
    if found:
        peer = f"{results.labels()[found[0]]}: {found[1] / case.connections:.2f}"
    each = case.connections
    return median and Cell(case, median.value / each, median.low / each, median.high / each, peer)


def by_p99_to_p50(results, target, case):
    tail = results.median(case, target["server"], "p99")
    middle = results.median(case, target["server"], "p50")
    if not tail or not middle:
        return None
    ratios = {}
    for name in peers_of(results, case):
        ratios[name] = (results.median(case, name, "p99").value
                        / results.median(case, name, "p50").value)
    best = min(ratios, key=ratios.get, default=None)
    peer = f"{results.labels()[best]}: {ratios[best]:.2f}" if best else ""
    return Cell(case, tail.value / middle.value, tail.low / middle.high, tail.high / middle.low,
                peer, tail.trusted)


def by_dispatchers(results, target, case):
    """Against one dispatcher of the same server in the same round."""
    if case.threads == 1:
        return None
    one = type(case)(case.kind, case.connections, case.size, case.depth, 1)
    ratio = results.ratio(case, target["server"], target["figure"], target["server"], one)
    other = results.ratio(case, BASE, target["figure"], BASE, one)
    peer = f"{results.labels()[BASE]}: {other.value:.2f}" if other else ""
    return ratio and Cell(case, ratio.value, ratio.low, ratio.high, peer, ratio.trusted)


def of_hand_off(target, records):
    """By the lines of `handoff-bench --json`."""
    figure = target["figure"]
    for record in records:
        if record["queue"] != target["queue"] or record["pattern"] not in target["patterns"]:
            continue
        others = [other for other in records if not other["queue"].startswith("nio")
                  and (other["pattern"], other["producers"])
                  == (record["pattern"], record["producers"])]
        best = min(others, key=lambda other: other[figure], default=None)
        yield Cell(f"{record['pattern']}, producers: {record['producers']}", record[figure],
                   record[target.get("least", figure)], record[target.get("most", figure)],
                   f"{best['queue']}: {best[figure]:.2f}" if best else "")


def of_counted(target, records):
    """By lines of any program that have the figure."""
    for record in records:
        if target["figure"] in record:
            value = record[target["figure"]]
            yield Cell(record["name"], value, value, value)


WAYS = {"ratio": by_ratio, "value": by_value, "best-peer": by_best_peer, "memory": by_memory,
        "p99-to-p50": by_p99_to_p50, "dispatchers": by_dispatchers}


def is_about(target, case):
    return all(getattr(case, name) == target[name] for name in CASE_FIELDS if name in target)


def outcomes(results, targets=None, handed=(), counted=()):
    found = []
    for target in targets if targets is not None else load():
        if target["measure"] == "hand-off":
            found.append(Outcome(target, list(of_hand_off(target, handed))))
            continue
        if target["measure"] == "counted":
            found.append(Outcome(target, list(of_counted(target, counted))))
            continue
        cases = [case for case in results.cases(target["kind"]) if is_about(target, case)]
        cells = [WAYS[target["measure"]](results, target, case) for case in cases]
        found.append(Outcome(target, [cell for cell in cells if cell]))
    return found
