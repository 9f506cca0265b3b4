"""Raw runs, one JSON object a line, and what is made of them: medians, ratios, spreads."""
import json
import statistics
from collections import defaultdict
from pathlib import Path

from bench_plan import BASE, Case

# A median of fewer clean runs says little; then all runs count, and the figure is marked.
FEWEST_CLEAN = 2
# A few of them in each run: only their sum over all runs says something.
COUNTED_IN_TICKS = {"user", "system"}


class Journal:
    """Appends records to a file, each at once, so that an interrupted run has left its results."""

    def __init__(self, path):
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path

    def add(self, **record):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def read(paths):
    """All records of these files, in order. The last line may have been cut off."""
    records = []
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            try:
                records.append(json.loads(line))
            except ValueError:
                continue
    return records


def case_of(record):
    return Case(record["kind"], record["connections"], record["size"], record["depth"],
                record["threads"])


class Median:
    """The middle of some values, and how far they lie apart."""

    def __init__(self, values, trusted=True, middle=statistics.median):
        self.values, self.trusted = sorted(values), trusted
        self.value = middle(values)
        self.low, self.high = self.values[0], self.values[-1]


class Results:
    """Runs by case and server; of the attempts at a round, the last one counts: those before it
    were dirty."""

    def __init__(self, records, handed=(), counted=()):
        self.handed = list(handed)  # of handoff-bench
        self.counted = list(counted)  # of rebalance-bench and the steady-state test
        self.sessions = [r for r in records if r["type"] == "session"]
        self.runs = defaultdict(dict)
        self.gaps = defaultdict(dict)
        for record in records:
            if record["type"] == "run":
                place = (record["session"], record["round"])
                self.runs[case_of(record)].setdefault(record["server"], {})[place] = record
            elif record["type"] == "gap":
                self.gaps[case_of(record)][record["server"]] = record["reason"]

    def cases(self, kind):
        found = {case for case in [*self.runs, *self.gaps] if case.kind == kind}
        return sorted(found, key=lambda c: (c.size, c.depth, c.connections, c.threads))

    def labels(self):
        """Of all servers, in the order of the plan."""
        return {s["name"]: s["label"] for session in self.sessions for s in session["servers"]}

    def ours(self):
        return {s["name"] for session in self.sessions for s in session["servers"] if s["ours"]}

    def refusals(self):
        """Why a server took no part."""
        refused = {s["name"]: s["refused"] for session in self.sessions
                   for s in session["servers"] if s["refused"]}
        took_part = {name for servers in self.runs.values() for name in servers}
        return {name: why for name, why in refused.items() if name not in took_part}

    def clean(self, case, server):
        """How many of its runs are, and how many there are."""
        runs = self.runs[case].get(server, {}).values()
        return sum(run["clean"] for run in runs), len(runs)

    def median(self, case, server, figure):
        """Of one figure; None where there is no run."""
        runs = list(self.runs[case].get(server, {}).values())
        clean = [run for run in runs if run["clean"]]
        trusted = len(clean) >= FEWEST_CLEAN
        values = [run["figures"][figure] for run in (clean if trusted else runs)]
        values = [value for value in values if value is not None]
        middle = statistics.mean if figure in COUNTED_IN_TICKS else statistics.median
        return Median(values, trusted, middle) if values else None

    def ratio(self, case, server, figure="cpu", base=BASE, base_case=None):
        """The median of the ratios to the base of the same round."""
        own = self.runs[case].get(server, {})
        others = self.runs[base_case or case].get(base, {})
        pairs = [(own[place], others[place]) for place in own if place in others]
        clean = [(a, b) for a, b in pairs if a["clean"] and b["clean"]]
        trusted = len(clean) >= FEWEST_CLEAN
        ratios = [a["figures"][figure] / b["figures"][figure]
                  for a, b in (clean if trusted else pairs) if b["figures"][figure]]
        return Median(ratios, trusted) if ratios else None
