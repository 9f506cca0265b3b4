#!/usr/bin/env python3
"""The libraries built for other platforms without a warning, and the tests without sockets and dispatchers.

    portability.py [--docs FILE] PLATFORM...

A platform is a preset of CMakePresets.json. Prints one line for each; --docs puts them into the table of
that document, between its markers: the rows of other platforms stay. Exit 1 where one fails.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- made by make portability -->\n", "<!-- end -->\n"


def built(folder):
    """How many files of the libraries were compiled."""
    commands = json.loads((folder / "compile_commands.json").read_text())
    files = {Path(command["file"]) for command in commands}
    return sum(file.is_relative_to(ROOT / "lib") for file in files)


def compiler(folder):
    for file in sorted(folder.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        found = dict(re.findall(r'set\((\w+) "?([^")]*)"?\)', file.read_text()))
        return f"{found['CMAKE_CXX_COMPILER_ID']} {found['CMAKE_CXX_COMPILER_VERSION']}"
    return ""


def display_names():
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    return {preset["name"]: preset.get("displayName", "") for preset in presets}


def run(command, **environment):
    """Whether it has succeeded; if not, its output is shown."""
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        print(done.stdout[-4000:], file=sys.stderr)
    return done.returncode == 0


def tested(folder):
    """How many tests were run, and how many of them failed."""
    report = folder / "portability.json"
    report.unlink(missing_ok=True)
    passed = run(["ctest", "--test-dir", str(folder), "--output-on-failure", "-R", "^Portability"],
                 GTEST_OUTPUT=f"json:{report}")
    if not report.exists():
        return 0, 1
    counts = json.loads(report.read_text())
    return counts["tests"] - counts["disabled"], counts["failures"] + (not passed and not counts["failures"])


def try_platform(platform, jobs):
    """Its row of the table, None where it failed."""
    folder = ROOT / "build" / platform
    if not (run(["cmake", "--preset", platform]) and
            run(["cmake", "--build", "--preset", platform, "-j", str(jobs)])):
        print(f"{platform}: cannot be built", flush=True)
        return None
    files, (tests, failed) = built(folder), tested(folder)
    print(f"{platform}: built {files} files, ran {tests} tests, failed {failed}", flush=True)
    if failed:
        return None
    return f"| {platform} | {display_names()[platform]} | {compiler(folder)} | {files} | {tests} |\n"


def write_rows(document, rows):
    text = document.read_text()
    head, rest = text.split(BEGIN)
    table, tail = rest.split(END)
    header, rule, *old = table.strip().splitlines(keepends=True)
    kept = {row.split("|")[1].strip(): row.rstrip("\n") + "\n" for row in old}
    kept.update({row.split("|")[1].strip(): row for row in rows})
    body = "".join(kept[name] for name in sorted(kept))
    document.write_text(f"{head}{BEGIN}\n{header}{rule.rstrip()}\n{body}\n{END}{tail}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("platforms", nargs="+")
    options = parser.parse_args()
    rows = [try_platform(platform, options.jobs) for platform in options.platforms]
    made = [row for row in rows if row]
    if options.docs and made:
        write_rows(options.docs, made)
    sys.exit(0 if len(made) == len(rows) else 1)


if __name__ == "__main__":
    main()
