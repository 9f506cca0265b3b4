#!/usr/bin/env python3
"""Makes the section "Load and hostility" of docs/reliability.md from raw figures; measures nothing.

hostility_page.py [--out DIRECTORY] [--docs DIRECTORY]

What is outside of the section's two markers is kept; a page without them gets the section at its
end.
"""
import argparse
import json
import sys
from pathlib import Path

from surroundings import ROOT

from bench_table import table  # surroundings has made tests/bench known

PAGE = "reliability.md"
TITLE = "## Load and hostility"
BEGIN, END = "<!-- hostility: begin -->", "<!-- hostility: end -->"
MARKS = {True: "met", False: "**missed**", None: ""}
TITLES = {
    "slowloris": "Slowloris, and each byte is echoed",
    "slowloris-packets": "Slowloris, and its packets never end",
    "flood": "One connection that floods",
    "never-read": "Peers that never read",
    "descriptors": "Descriptors run out",
    "storms": "Connects and resets",
    "drains": "SIGTERM in mid-stream",
}
BESIDE = ("Server with one dispatcher on one CPU, all clients on another. The honest load is an open "
          "loop (2,000 messages of 64 B a second, latency from the planned time on). Legs in turn, "
          "round after round: alone, attacked, and with the same attack on another server that "
          "shares the clients' CPU; a ratio is that of one round, shown is the median (least–most) "
          "of the rounds whose load calls itself valid. Attackers run in the scheduling class "
          "`idle`, so that they do not keep the honest load from its plan; how late it was all the "
          "same stands below. The CPUs are kept from falling asleep in all legs (a spinning `idle` process "
          "on each): a virtual CPU that has nothing to do takes up to some 300 µs to come back, which "
          "would be the latency of the quiet server. ")
WORDS = {
    "slowloris": BESIDE + "The slow bytes come evenly, a thousand a second, and each is echoed: a "
                          "thousand answers a second for the attackers.",
    "slowloris-packets": "The same with `--framing stx-etx` on all sides, for what slowloris is after: a "
                         "message that never ends, and that the server has to keep.",
    "flood": BESIDE + "The flood is one connection with 64 messages of 64 KiB under way, which "
                      "reads its answers.",
    "never-read": "Resident memory of the server by `/proc/PID/statm`, looked at every 50 ms, while "
                  "`echo-client --misbehave never-read` sends for 10 s.",
    "descriptors": "The server has 256 descriptors (`prlimit --nofile`). All are taken, 60 more "
                   "peers connect and wait, then 100 leave and one more comes. Ten times each.",
    "storms": "The CPU time of all threads (`/proc/PID/task/*/stat`) in the 5 s that begin 5 s "
              "after the last reset.",
    "drains": "Each drain ends a server with 1, 2 or 4 dispatchers that nine clients send numbered "
              "streams to: three keep 4 KiB under way, three up to 2 MiB, three say FIN "
              "within 10 ms of the signal; two more come, send and say FIN right before it. A "
              "mistake is: a client that gets anything but an exact prefix of what it sent and "
              "then FIN; one that had said FIN before the signal and does not get all; an exit "
              "code, an aborted connection or a lost byte; bytes that are neither echoed nor "
              "called unread.",
}


def read(file):
    """The last record of each scenario with each selector."""
    records = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            records[record["scenario"], record["selector"]] = record
    return records


def measured_on(record):
    host = record["host"]
    return (f"{record['date']}, `{record['command']}`: {host['cpus']} CPUs ({host['cpuModel']}), "
            f"Linux {host['kernel']}, {host['memoryKib'] // 1024:,} MiB, load average before: "
            f"{host['loadAverageBefore']:.2f}")


def part(records):
    lines = ["Everything between the two markers of this section is made from raw figures by "
             "`tests/hostility/hostility_page.py`; nothing is typed by hand. `make hostility` "
             "measures the release build of echo-server, over loopback; on epoll, which is its own "
             "choice, where no other `--selector` is named.", ""]
    measured = dict.fromkeys(measured_on(record) for record in records.values())
    lines += ["Measured:", "", *(f"- {each}." for each in measured), ""]
    for name, title in TITLES.items():
        shown = [record for (scenario, _), record in sorted(records.items()) if scenario == name]
        if shown:
            lines += [f"### {title}", "", WORDS[name], ""]
        for record in shown:
            lines += figures(record)
    return "\n".join(lines).rstrip()


def figures(record):
    told = "" if record["selector"] == "auto" else f"With `--selector {record['selector']}`:"
    lines = [told, ""] if told else []
    if record["trouble"]:
        return [*lines, f"**Not measured**: {record['trouble']}", ""]
    rows = [[row["what"], row["asked"], row["measured"], MARKS[row["met"]]]
            for row in record["rows"]]
    return [*lines, *table(["", "asked", "measured", ""], rows), ""]


def with_part(document, text):
    if BEGIN not in document:
        head = document.rstrip() or "# Reliability"
        return f"{head}\n\n{TITLE}\n\n{BEGIN}\n{text}\n{END}\n"
    before, rest = document.split(BEGIN, 1)
    if END not in rest:
        raise ValueError(f"the page has '{BEGIN}' without '{END}' behind it")
    return f"{before}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}"


def write(docs, records):
    docs.mkdir(parents=True, exist_ok=True)
    path = docs / PAGE
    document = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(with_part(document, part(records)), encoding="utf-8")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build/hostility")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    options = parser.parse_args()
    records = read(options.out / "hostility.jsonl")
    if not records:
        sys.exit(f"hostility_page: nothing measured in {options.out}; `make hostility` does")
    print(write(options.docs, records))


if __name__ == "__main__":
    main()
