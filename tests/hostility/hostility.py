#!/usr/bin/env python3
"""The shipped echo-server under bad clients: measures, and writes a section of a page.

    hostility.py [--quick] [--only NAME,NAME] [--bin DIRECTORY] [--out DIRECTORY] [--docs DIRECTORY]

Everything is on loopback. The raw figures are appended to hostility.jsonl in --out, a line for each
scenario; of those with the same name and selector the page shows the last, and what there is no line for
stays in it. --quick: whether all of it works, and what needs no clock; the page knows nothing of it.
Exit code 1: something does not hold.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import asdict
from datetime import date
from pathlib import Path

import hostility_page
from beside import flood, slowloris, slowloris_packets
from descriptors import descriptors
from drains import drains
from memory import never_read
from storms import storms
from surroundings import ROOT, Setting, Trouble

from command_line import Parser, at_least, folder_with  # surroundings has made tests/support known

SKIPPED = 77
SCENARIOS = {
    "slowloris": slowloris,
    "slowloris-packets": slowloris_packets,
    "never-read": never_read,
    "flood": flood,
    "descriptors": descriptors,
    "storms": storms,
    "drains": drains,
}


def parse():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small, and no figure of time counts")
    parser.add_argument("--only", default=",".join(SCENARIOS), help="some of: %(default)s")
    parser.add_argument("--rounds", type=at_least(1),
                        help="of both slowloris and flood; 5, --quick: 1")
    parser.add_argument("--drains", type=at_least(1), help="200, --quick: 5")
    parser.add_argument("--seed", type=int, default=1, help="of the drains")
    parser.add_argument("--selector", default="auto", choices=["auto", "epoll", "poll", "select", "uring"],
                        help="of the server")
    parser.add_argument("--bin", type=folder_with("echo-server", "echo-client"),
                        default=str(ROOT / "build/bin"))
    parser.add_argument("--out", type=Path, default=ROOT / "build/hostility")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    options = parser.parse_args()
    options.only = options.only.split(",")
    if unknown := set(options.only) - set(SCENARIOS):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    return options


def setting_of(options):
    cpus = sorted(os.sched_getaffinity(0))
    return Setting(
        programs=options.bin.resolve(), quick=options.quick,
        rounds=options.rounds or (1 if options.quick else 5),
        drains=options.drains or (5 if options.quick else 200),
        seed=options.seed, server_cpu=cpus[0], load_cpu=cpus[-1], selector=options.selector)


def host():
    def first(path, key):
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), "?")

    return {"cpus": len(os.sched_getaffinity(0)), "cpuModel": first("/proc/cpuinfo", "model name"),
            "kernel": os.uname().release.split("-")[0],
            "memoryKib": int(first("/proc/meminfo", "MemTotal").split()[0]),
            "loadAverageBefore": os.getloadavg()[0]}


def commit():
    """What is measured; None: nobody knows."""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(git, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def command():
    words = shlex.join(sys.argv[1:])
    return "make hostility" + (f" HOSTILITY_ARGS='{words}'" if words else "")


def run(name, setting, session):
    """The record of one scenario."""
    print(f"{name}:", flush=True)
    began = time.monotonic()
    try:
        rows, runs = SCENARIOS[name](setting)
        rows, trouble = [asdict(row) for row in rows], None
    except (Trouble, OSError) as error:
        rows, runs, trouble = [], [], str(error)
    record = {"scenario": name, **session, "seconds": round(time.monotonic() - began, 1),
              "trouble": trouble, "rows": rows, "runs": runs}
    for row in rows:
        mark = {True: "ok  ", False: "MISS", None: "    "}[row["met"]]
        print(f"  {mark} {row['what']}: {row['measured']} (asked: {row['asked']})", flush=True)
    if trouble:
        print(f"  TROUBLE {trouble}", flush=True)
    return record


def holds(record):
    return not record["trouble"] and all(row["met"] is not False for row in record["rows"])


def measure(options):
    """The exit code."""
    setting = setting_of(options)
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "hostility.jsonl"
    session = {"date": date.today().isoformat(), "commit": commit(), "command": command(),
               "host": host(), "quick": options.quick, "selector": options.selector}
    records = {}
    for name in options.only:
        record = records[name, options.selector] = run(name, setting, session)
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")
    if options.quick:
        hostility_page.part(records)
    else:
        print(hostility_page.write(options.docs, hostility_page.read(file)))
    return 0 if all(map(holds, records.values())) else 1


def main():
    options = parse()
    if missing := [name for name in ("chrt", "prlimit", "taskset") if not shutil.which(name)]:
        print(f"hostility.py: missing: {', '.join(missing)}", file=sys.stderr)
        return SKIPPED
    try:
        return measure(options)
    except (OSError, ValueError) as error:
        print(f"hostility.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
