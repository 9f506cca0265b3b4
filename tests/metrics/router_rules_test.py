"""The dashboard and the alert rules of sms-router: router_rules_test.py names|rules ROOT

names: each metric that they name is in docs/metrics.md (which a test compares with what the router
       serves); docs/router-operations.md names each alert, and its capacities are those of
       docs/benchmarks/sms-router.md; panels do not overlap.
rules: promtool takes the rules and every query of the dashboard, and each alert fires where it
       should (alerts_test.yml). Skipped (exit 77) without promtool, NIO_REQUIRE_ALL=1 or not: outside
       of containers .ci/deps does not install it, as its package starts a server.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
METRIC = re.compile(r"\b(?:sms_router|nio)_[a-z_]+\b")
SUFFIXES = {"histogram": ["_bucket", "_sum", "_count"], "counter": [""], "gauge": [""]}
GRID = 24


def documented(root):
    """Every name that a query may use."""
    names = set()
    for row in (root / "docs/metrics.md").read_text(encoding="utf-8").splitlines():
        cells = row.split(" | ")
        if len(cells) < 3 or cells[1] not in SUFFIXES:
            continue
        for name in METRIC.findall(cells[0]):
            names |= {name + suffix for suffix in SUFFIXES[cells[1]]}
    return names


def queries_of(dashboard):
    for panel in dashboard["panels"]:
        assert panel["targets"], panel["title"]
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]["query"]


def unknown_names(text, known):
    return sorted(set(METRIC.findall(text)) - known)


def overlaps(panels):
    taken = {}
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= GRID, panel["title"]
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                other = taken.setdefault((x, y), panel["title"])
                assert other == panel["title"], f"{other} and {panel['title']} overlap"


def capacities(text):
    """By durability and receipts, of 50 binds with a window of 100."""
    rows = {}
    for row in text.splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if cells[0] not in ("memory", "commit"):
            continue
        if len(cells) == 5:
            rows[cells[0], cells[1]] = cells[2:]
        elif cells[1:3] == ["50", "100"]:
            rows[cells[0], cells[3]] = [cells[4], cells[5], cells[8]]
    return rows


def check_capacities(root, operations):
    measured = (root / "docs/benchmarks/sms-router.md").read_text(encoding="utf-8")
    assert len(capacities(measured)) == 4, capacities(measured)
    assert capacities(operations) == capacities(measured), capacities(measured)


def check_names(root, dashboard, rules):
    known = documented(root)
    assert "sms_router_stage_seconds_bucket" in known and "nio_select_seconds_total" in known
    assert unknown_names("sms_router_stage_seconds + nio_none", known) == [
        "nio_none", "sms_router_stage_seconds"], "the check finds nothing"
    for title, query in queries_of(dashboard):
        assert METRIC.search(query), (title, query)
        assert not unknown_names(query, known), (title, unknown_names(query, known))
    assert not unknown_names(rules, known), unknown_names(rules, known)
    operations = (root / "docs/router-operations.md").read_text(encoding="utf-8")
    assert not unknown_names(operations, known | {"sms_router_stage_seconds"}), operations
    for alert in re.findall(r"alert: (\w+)", rules):
        assert f"`{alert}`" in operations, f"docs/router-operations.md does not name {alert}"
    check_capacities(root, operations)
    titles = [panel["title"] for panel in dashboard["panels"]]
    assert len(set(titles)) == len(titles), titles
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(titles)
    overlaps(dashboard["panels"])


def promtool(*arguments):
    run = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr


def as_rules(dashboard):
    """The queries of the panels as recording rules, which promtool can parse."""
    rules = []
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            query = target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")
            name = f"panel_{panel['id']}_{target['refId']}"
            rules.append(f"      - record: {name}\n        expr: {json.dumps(query)}\n")
    return "groups:\n  - name: dashboard\n    rules:\n" + "".join(rules)


def check_rules(root, dashboard):
    if shutil.which("promtool") is None:
        print("skipped: no promtool (Debian: apt-get install prometheus)")
        sys.exit(SKIPPED)
    promtool("check", "rules", str(root / "docs/sms-router-alerts.yml"))
    promtool("test", "rules", str(root / "tests/metrics/alerts_test.yml"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dashboard.yml"
        path.write_text(as_rules(dashboard), encoding="utf-8")
        promtool("check", "rules", str(path))


def main():
    what, root = sys.argv[1], Path(sys.argv[2])
    dashboard = json.loads((root / "docs/sms-router-dashboard.json").read_text(encoding="utf-8"))
    if what == "names":
        rules = (root / "docs/sms-router-alerts.yml").read_text(encoding="utf-8")
        check_names(root, dashboard, rules)
    else:
        check_rules(root, dashboard)


if __name__ == "__main__":
    main()
