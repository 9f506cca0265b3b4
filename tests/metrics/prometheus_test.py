"""What echo-server --metrics serves, read by Prometheus' own Python client: prometheus_test.py PROGRAMS

Every dispatcher has every family, histograms add up, and the numbers are those of what was echoed.
Skipped (exit 77) without prometheus_client (Debian: python3-prometheus-client), unless
NIO_REQUIRE_ALL=1.
"""
import math
import os
import re
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

PATIENCE = 240
SKIPPED = 77
SYSTEMS_PYTHON = "/usr/bin/python3"
THREADS = 2
COUNTERS = ["turns", "select_seconds", "tasks", "task_seconds", "tasks_dropped",
            "deadlines_expired", "accepts", "closes", "received_bytes", "sent_bytes",
            "receives_in_vain", "sends_held_up"]
GAUGES = ["tasks_waiting", "deadlines", "connections", "buffered_bytes"]
BUDGET = ["bytes", "used_bytes", "acts", "paused", "refused", "dropped"]
HISTOGRAMS = ["events_per_turn", "callback_seconds", "task_delay_seconds"]
PROCESS = {"cpu_seconds": "counter", "open_fds": "gauge", "max_fds": "gauge",
           "virtual_memory_bytes": "gauge", "resident_memory_bytes": "gauge",
           "start_time_seconds": "gauge"}

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    # The package belongs to the system's Python, which need not be the first in the path.
    if os.path.exists(SYSTEMS_PYTHON) and "tried" not in sys.argv:
        os.execv(SYSTEMS_PYTHON, [SYSTEMS_PYTHON, "-B", *sys.argv, "tried"])
    print("skipped: no prometheus_client")
    sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else SKIPPED)


def echo(port, text):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(text)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while part := client.recv(65536):
            answer += part
    assert answer == text, answer[:40]


def scrape(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        text = answer.read().decode("utf-8")
    return {family.name: family for family in text_string_to_metric_families(text)}


def dispatchers_of(family):
    return {sample.labels["dispatcher"] for sample in family.samples}


def total(family, **labels):
    return sum(sample.value for sample in family.samples
               if all(sample.labels.get(name) == value for name, value in labels.items()))


def check_families(families):
    wanted = [(name, "counter") for name in COUNTERS] + [(name, "gauge") for name in GAUGES]
    for name, kind in wanted + [(name, "histogram") for name in HISTOGRAMS]:
        family = families.pop("nio_" + name)
        assert family.type == kind, (name, family.type)
        assert family.documentation, name
        assert dispatchers_of(family) == {f"echo-{i + 1}" for i in range(THREADS)}, name
        if kind == "histogram":
            check_histogram(family)
    for name in BUDGET:
        family = families.pop("nio_memory_budget_" + name)
        assert family.documentation, name
    for name, kind in PROCESS.items():
        family = families.pop("process_" + name)
        assert family.type == kind, (name, family.type)
        assert [s.value > 0 for s in family.samples] == [True], family
    build, = families.pop("nio_build_info").samples
    assert build.labels["version"] and build.value == 1, build
    assert not families, f"not in this test: {sorted(families)}"


def check_histogram(family):
    for dispatcher in dispatchers_of(family):
        mine = [s for s in family.samples if s.labels["dispatcher"] == dispatcher]
        buckets = [(float(s.labels["le"]), s.value) for s in mine if s.name.endswith("_bucket")]
        assert buckets == sorted(buckets), family.name
        assert buckets[-1][0] == math.inf, family.name
        counts = [s.value for s in mine if s.name.endswith("_count")]
        assert counts == [buckets[-1][1]], family.name
        assert len([s for s in mine if s.name.endswith("_sum")]) == 1, family.name


def main():
    server = Path(sys.argv[1]) / "echo-server"
    command = [server, "--port", "0", "--threads", str(THREADS), "--metrics", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(re.search(r"listening on \S+:(\d+)", process.stdout.readline())[1])
            url = re.search(r"metrics at (\S+)", process.stdout.readline())[1]
            texts = [b"x" * size for size in (1, 1000, 300_000)]
            for text in texts:
                echo(port, text)
            families = scrape(url)
            size = sum(len(text) for text in texts)
            assert total(families["nio_received_bytes"]) == size
            assert total(families["nio_sent_bytes"]) == size
            assert total(families["nio_accepts"]) == len(texts)
            assert total(families["nio_closes"], reason="finished") == len(texts)
            check_families(families)
            later = scrape(url)
            assert total(later["nio_select_seconds"]) > 0
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
