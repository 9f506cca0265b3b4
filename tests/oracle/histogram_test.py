"""Our histogram against HdrHistogram, on the same latencies: histogram_test.py COMPILER ROOT

Both have three significant digits, so that figures may differ by 0.1 % to each side; counts and the
lines of the percentile tables may not differ at all. Without Java or HdrHistogram it is skipped
(exit 77), or with NIO_REQUIRE_ALL=1 a failure.
"""
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
JARS = "/usr/share/java"  # .ci/deps looks there, too
PRECISION = 0.001
SECOND = 1_000_000_000
SOURCES = ["tests/oracle/histogram.cpp", "apps/common/LatencyHistogram.cpp",
           "apps/echo_client/report/Hgrm.cpp"]


def within_range(nanoseconds):
    return max(1, min(60 * SECOND, int(nanoseconds)))


def distributions():
    dice = random.Random(1)
    yield "uniform", [dice.randint(1_000, 5_000_000) for _ in range(20_000)]
    yield "exponential", [dice.expovariate(1 / 200_000) for _ in range(20_000)]
    yield "bimodal", [dice.gauss(*((40_000, 2_000) if dice.random() < 0.95
                                   else (200_000_000, 5_000_000))) for _ in range(20_000)]
    yield "heavy tail", [10_000 * dice.paretovariate(0.6) for _ in range(50_000)]
    yield "the whole range", [10 ** dice.uniform(0, math.log10(60 * SECOND))
                              for _ in range(50_000)]
    yield "1 µs", [1_000] * 1_000
    yield "60 s", [60 * SECOND] * 3
    yield "a single one", [123_456_789]
    yield "edges of buckets", [2 ** bits + step for bits in range(1, 35) for step in (-1, 0, 1)]
    yield "very small ones", [dice.randint(1, 3_000) for _ in range(5_000)]


def skip(why):
    print(f"{'fails' if os.environ.get('NIO_REQUIRE_ALL') == '1' else 'skipped'}: {why}")
    sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else 77)


def find_jar():
    if not shutil.which("java"):
        skip("there is no java")
    for jar in sorted(Path(JARS).rglob("*.jar")):
        if jar.name.lower().startswith("hdrhistogram"):
            return jar
    skip("there is no HdrHistogram for Java (Debian: libhdrhistogram-java)")


def run(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compile_ours(compiler, root, folder):
    program = folder / "histogram"
    run([compiler, "-std=c++20", "-O1", f"-I{root}/lib", f"-I{root}/apps", "-o", program]
        + [Path(root) / source for source in SOURCES])
    return program


class Block:
    """What one of the two said of one distribution."""

    def __init__(self, lines):
        self.figures = {}
        self.table = []
        self.footer = []
        for line in lines:
            words = line.split()
            if line.startswith("#["):
                self.footer.append(line)
            elif words and words[0][0].isdigit():
                self.table.append([float(word) for word in words])
            elif len(words) == 2:
                self.figures[words[0]] = int(words[1])


def blocks_of(text):
    lines = []
    for line in text.splitlines():
        if line.startswith("count "):
            if lines:
                yield Block(lines)
            lines = []
        lines.append(line)
    yield Block(lines)


def close(ours, theirs, rounding=0.0):
    return abs(ours - theirs) <= PRECISION * max(ours, theirs) + rounding


def compare_figures(ours, theirs):
    if ours.keys() != theirs.keys():
        yield f"figures {list(ours)} and {list(theirs)}"
    for name in ours.keys() & theirs.keys():
        same = ours[name] == theirs[name] if name == "count" else \
            close(ours[name], theirs[name], 1)
        if not same:
            yield f"{name}: ours {ours[name]}, theirs {theirs[name]}"


def same_line(mine, other):
    # Milliseconds with three digits behind the point; Java rounds halves up, printf() to even.
    return (len(mine) == len(other) and close(mine[0], other[0], 0.0011)
            and abs(mine[1] - other[1]) < 1.1e-12 and mine[2] == other[2]
            and all(abs(a - b) < 0.011 for a, b in zip(mine[3:], other[3:])))


def compare_tables(ours, theirs):
    if len(ours) != len(theirs):
        yield f"tables of {len(ours)} and {len(theirs)} lines"
    for mine, other in zip(ours, theirs):
        if not same_line(mine, other):
            yield f"line {mine}, theirs {other}"


def numbers_of(footer):
    words = " ".join(footer).replace("[", " ").replace("]", " ").replace(",", " ").split()
    return [float(word) for word in words if word[0].isdigit()]


def compare_footers(ours, theirs):
    mine, other = numbers_of(ours), numbers_of(theirs)
    # The deviation is as exact as the latencies are, not as it is itself.
    rounding = PRECISION * mine[2] + 0.0011
    if len(mine) != 6 or not all(close(a, b, rounding) for a, b in zip(mine, other)):
        yield f"footer {ours}, theirs {theirs}"
    if [len(line) for line in ours] != [len(line) for line in theirs]:
        yield f"another form: {ours}, theirs {theirs}"


def compare_with_truth(ours, latencies):
    """Neither need be right when both agree."""
    ordered = sorted(latencies)
    for name, value in ours.items():
        if not name.startswith("p"):
            continue
        rank = max(1, math.ceil(float(name[1:]) / 100 * len(ordered) - 1e-6))
        if not close(value, ordered[rank - 1], 1):
            yield f"{name}: ours {value}, in truth {ordered[rank - 1]}"
    for name, value in (("min", ordered[0]), ("max", ordered[-1]),
                        ("mean", sum(ordered) // len(ordered))):
        if ours[name] != value:
            yield f"{name}: ours {ours[name]}, in truth {value}"


def compare(ours, theirs, latencies):
    yield from compare_figures(ours.figures, theirs.figures)
    yield from compare_tables(ours.table, theirs.table)
    yield from compare_footers(ours.footer, theirs.footer)
    yield from compare_with_truth(ours.figures, latencies)


def main(compiler, root):
    jar = find_jar()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs = [(title, [within_range(value) for value in values])
                  for title, values in distributions()]
        files = [folder / f"{number}.txt" for number in range(len(inputs))]
        for file, (_, latencies) in zip(files, inputs):
            file.write_text("\n".join(map(str, latencies)) + "\n")
        ours = list(blocks_of(run([compile_ours(compiler, root, folder), *files])))
        theirs = list(blocks_of(run(["java", "-Duser.language=en", "-cp", jar,
                                     HERE / "HistogramOracle.java", *files])))
    assert len(ours) == len(theirs) == len(inputs)
    trouble = 0
    for (title, latencies), mine, other in zip(inputs, ours, theirs):
        found = list(compare(mine, other, latencies))
        trouble += len(found)
        print(f"{title}: {len(latencies)} latencies, {len(mine.table)} lines, "
              f"{len(found)} differences")
        for line in found[:5]:
            print(f"    {line}")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
