#!/usr/bin/env python3
"""Makes docs/reliability/hostility.md from raw figures; measures nothing.

    hostility_page.py [--out DIRECTORY] [--docs DIRECTORY]

Text outside the page's two markers is kept; a page without them gets them at its end. Between
them a scenario without new figures for a selector keeps its old ones.
"""
import json
import re
from pathlib import Path

from surroundings import ROOT

from bench_table import table  # surroundings has made it known
from command_line import Parser  # likewise

PAGE = "reliability/hostility.md"
TITLE = "# echo-server under hostile clients"
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
BESIDE = ("Server with one dispatcher on one CPU, all clients on another. The honest load is an "
          "open loop (2,000 messages of 64 B a second, latency from the planned time on). Legs in "
          "turn, round after round: alone, attacked, and with the same attack on another server "
          "that shares the clients' CPU; a ratio is that of one round, shown is the median "
          "(least–most) of the rounds whose load calls itself valid. Attackers run in the "
          "scheduling class `idle`, so that they do not delay the honest load; the tables say how "
          "late it was. The CPUs are kept from falling asleep in all legs (a spinning `idle` "
          "process on each): an idle virtual CPU takes up to some 300 µs to wake up, which would "
          "be the latency of the quiet server. ")
WORDS = {
    "slowloris": BESIDE +
        "The slow bytes come evenly, a thousand a second, and each is echoed: a thousand answers "
        "a second for the attackers.",
    "slowloris-packets":
        "The same with `--framing stx-etx` on all sides, which is the aim of slowloris: a message "
        "that never ends and that the server has to keep.",
    "flood": BESIDE +
        "The flood is one connection with 64 messages of 64 KiB in flight, which reads its "
        "answers.",
    "never-read":
        "Resident memory of the server by `/proc/PID/statm`, sampled every 50 ms, while "
        "`echo-client --misbehave never-read` sends for 10 s.",
    "descriptors":
        "The server has 256 descriptors (`prlimit --nofile`). All are taken, 60 more peers "
        "connect and wait, then 100 leave and one more comes. Ten times each.",
    "storms":
        "The CPU time of all threads (`/proc/PID/task/*/stat`) in the 5 s that begin 5 s after "
        "the last reset.",
    "drains":
        "Each drain ends a server with 1, 2 or 4 dispatchers that nine clients send numbered "
        "streams to: three keep 4 KiB in flight, three up to 2 MiB, three send FIN within 10 ms "
        "of the signal; two more connect, send and send FIN right before it. A mistake is: a "
        "client that gets anything other than an exact prefix of what it sent and then FIN; one "
        "that sent FIN before the signal and does not get everything; an exit code, an aborted "
        "connection or a lost byte; bytes that are neither echoed nor reported as unread.",
}


def read(file):
    """The last full record of each scenario with each selector, the newest behind the others."""
    records = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            key = record["scenario"], record["selector"]
            if not record.get("quick"):
                records.pop(key, None)
                records[key] = record
    return records


def measured_on(record):
    host = record["host"]
    commit = f", commit {record['commit']}" if record.get("commit") else ""
    return (f"- {record['date']}{commit}, `{record['command']}`: {host['cpus']} CPUs "
            f"({host['cpuModel']}), Linux {host['kernel']}, {host['memoryKib'] // 1024:,} MiB, load "
            f"average before: {host['loadAverageBefore']:.2f}.")


def told(selector):
    return "" if selector == "auto" else f"With `--selector {selector}`:"


class Standing:
    """What the page has: words by scenario, figures by scenario and selector."""

    def __init__(self, text):
        self.words, self.figures = {}, {}
        names = {title: name for name, title in TITLES.items()}
        for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
            title, _, rest = section.partition("\n")
            if title in names:
                self.take(names[title], rest.strip())
        self.measured = re.findall(r"^- \d{4}-\d\d-\d\d.*$", text, re.MULTILINE)

    def take(self, name, text):
        self.words[name], _, rest = text.partition("\n\n")
        first, *others = re.split(r"^With `--selector (\w+)`:$", rest, flags=re.MULTILINE)
        for selector, lines in [("auto", first), *zip(others[::2], others[1::2])]:
            if lines.strip():
                self.figures[name, selector] = [lines.strip(), ""]

    def without(self, records):
        """Only what there is no record of."""
        self.figures = {key: each for key, each in self.figures.items() if key not in records}
        # The newest stands first: older ones may have measured the same.
        last = {}
        for line in reversed(self.measured):
            last.update(dict.fromkeys(measured_by(line), line))
        stays = {last.get(key) for key in self.figures}
        self.measured = [line for line in self.measured if line in stays]
        return self


def measured_by(line):
    """Scenario and selector of all that such a command measures."""
    only = re.search(r"--only[ =]([\w,-]+)", line)
    selector = re.search(r"--selector[ =](\w+)", line)
    names = only[1].split(",") if only else TITLES
    return [(name, selector[1] if selector else "auto") for name in names]


def part(records, before=""):
    """The generated text, of these and of what it was before."""
    standing = Standing(before).without(records)
    lines = ["`tests/hostility/hostility_page.py` makes everything between the two markers of this "
             "page from raw figures. `make hostility` measures the release build of echo-server "
             "over loopback, on epoll unless another `--selector` is named.", ""]
    newest_first = reversed(records.values())
    measured = dict.fromkeys([*map(measured_on, newest_first), *standing.measured])
    lines += ["Measured:", "", *measured, ""]
    blocks = {**standing.figures, **{key: figures(record) for key, record in records.items()}}
    for name, title in TITLES.items():
        shown = [key for key in sorted(blocks) if key[0] == name]
        if shown:
            fresh = any(key in records for key in shown)
            lines += [f"## {title}", "", WORDS[name] if fresh else standing.words[name], ""]
        for key in shown:
            lines += [told(key[1]), ""] if told(key[1]) else []
            lines += blocks[key]
    return "\n".join(lines).rstrip()


def figures(record):
    if record["trouble"]:
        return [f"**Not measured**: {record['trouble']}", ""]
    rows = [[row["what"], row["asked"], row["measured"], MARKS[row["met"]]]
            for row in record["rows"]]
    return [*table(["", "asked", "measured", ""], rows), ""]


def part_in(document):
    return document.partition(BEGIN)[2].partition(END)[0]


def with_part(document, text):
    if BEGIN not in document:
        head = document.rstrip() or TITLE
        return f"{head}\n\n{BEGIN}\n{text}\n{END}\n"
    before, rest = document.split(BEGIN, 1)
    if END not in rest:
        raise ValueError(f"the page has '{BEGIN}' without '{END}' behind it")
    return f"{before}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}"


def write(docs, records):
    path = docs / PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    document = path.read_text(encoding="utf-8") if path.exists() else ""
    text = part(records, part_in(document))
    path.write_text(with_part(document, text), encoding="utf-8")
    return path


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build/hostility")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    options = parser.parse_args()
    try:
        records = read(options.out / "hostility.jsonl")
        if not records:
            parser.error(f"nothing measured in {options.out}; `make hostility` does")
        print(write(options.docs, records))
    except (OSError, ValueError) as error:
        parser.error(error)


if __name__ == "__main__":
    main()
