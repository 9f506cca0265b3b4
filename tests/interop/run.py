#!/usr/bin/env python3
"""The router and programs that nobody here wrote: node-smpp, Kannel, tshark, HTTP clients.

run.py [--bin DIRECTORY] [--node DIRECTORY] [--direct] [node|kannel|tshark|http|all]

Prints a line for each check. Exit 0 only if all are right. Needs what deps.sh installs.
--direct leaves the router out: it tests the two ends of the tests themselves.
"""
import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))

import http_checks  # noqa: E402
import kannel_checks  # noqa: E402
import node_checks  # noqa: E402
import tshark_checks  # noqa: E402
from router_programs import Trouble  # noqa: E402
from surroundings import Surroundings  # noqa: E402

PARTS = {
    "node": node_checks.run,
    "kannel": kannel_checks.run,
    "tshark": tshark_checks.run,
    "http": http_checks.run,
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=Path("build/bin"))
    parser.add_argument("--node", type=Path, default=Path("build/interop"))
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("part", nargs="?", default="all", choices=[*PARTS, "all"])
    return parser.parse_args()


def main():
    options = parse()
    parts = PARTS if options.part == "all" else {options.part: PARTS[options.part]}
    failed = 0
    count = 0
    with tempfile.TemporaryDirectory(prefix="interop-") as scratch:
        surroundings = Surroundings(
            options.bin.resolve(),
            Path(scratch),
            options.node.resolve() / "node_modules",
            options.direct,
        )
        for name, run in parts.items():
            try:
                for checks in run(surroundings):
                    failed += checks.failed
                    count += checks.count
            except Trouble as trouble:
                failed += 1
                print(f"{name}: FAIL {trouble}", flush=True)
    print(f"interop: {count} checks, {failed} failed")
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
