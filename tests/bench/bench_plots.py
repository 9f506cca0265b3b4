"""The page's pictures: SVG that stands alone, legible on light and dark, with error bars."""
import math
from html import escape

from bench_plan import BASE, main_cells
from bench_table import heading
from experiment_plot import (BOTTOM, PANEL_HEIGHT, PANEL_WIDTH, STYLE, TOP, Line, LinearScale,
                             LogScale, Panel, axes, drawn, legend, mark, number, short, with_title,
                             x_scale)

LABELS, RIGHT_EDGE, HEAD, ROW, FOOT = 172, 22, 34, 19, 46
# Beyond it a mark is drawn at the edge, with its figure.
WIDEST_RATIO = 2.0
BARE = {"epoll", "epoll-fair", "uring"}
COLORS = {"ours": 0, "bare": 1, "peer": 2}
MORE_STYLE = """
.figure .whisker { stroke-width: 1.5; fill: none; }
.figure .one { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 3 3; }
.figure .label { font-size: 12px; }
.figure .own { font-weight: 600; }
""" + "".join(f".figure .whisker.c{i} {{ stroke: var(--c{i}); }}\n" for i in range(4))


def kind_of(results, name):
    return "ours" if name in results.ours() else "bare" if name in BARE else "peer"


def whole(parts, width, height, label):
    return ('<svg xmlns="http://www.w3.org/2000/svg" class="figure" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">\n<style>{STYLE}{MORE_STYLE}</style>\n'
            f'<rect class="paper" width="{width}" height="{height}"/>\n' + "\n".join(parts)
            + "\n</svg>\n")


def shown_cases(results):
    """Those of the comparison with the peers, if they were measured; otherwise all."""
    cases = results.cases("echo")
    main = set(main_cells())
    return [case for case in cases if case in main] or cases


# --- rows of servers -----------------------------------------------------------------------------


class RatioScale(LinearScale):
    """From a round number below the smallest one to one above the largest one."""

    def __init__(self, low, high, begin, end):
        self.step = 0.25 if high - low > 0.6 else 0.1
        self.low = math.floor(low / self.step + 1e-9) * self.step
        self.high = max(math.ceil(high / self.step - 1e-9) * self.step, self.low + self.step)
        self.begin, self.end = begin, end

    def __call__(self, value):
        part = (value - self.low) / (self.high - self.low)
        return self.begin + part * (self.end - self.begin)

    def ticks(self):
        count = round((self.high - self.low) / self.step)
        return [self.low + i * self.step for i in range(count + 1)]


def grid(scale, height, axis_title, title):
    """Ticks upright, the title above, the axis' title below."""
    left, right, bottom = LABELS, PANEL_WIDTH - RIGHT_EDGE, height - FOOT
    for tick in scale.ticks():
        x = scale(tick)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{HEAD}" y2="{bottom}"/>'
        text = f"{tick:.4g}" if tick < 1000 else short(tick)
        yield f'<text class="soft" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{text}</text>'
    yield (f'<text class="soft" x="{(left + right) / 2}" y="{bottom + 34}" text-anchor="middle">'
           f"{escape(axis_title)}</text>")
    yield f'<text class="title" x="{left}" y="20">{escape(title)}</text>'


def label_of(results, name, y):
    own = " own" if kind_of(results, name) == "ours" else ""
    return (f'<text class="label{own}" x="{LABELS - 10}" y="{y + 4}" text-anchor="end">'
            f"{escape(results.labels()[name])}</text>")


def whisker(low, high, y, color):
    return (f'<path class="whisker c{color}" d="M{low:.1f} {y}H{high:.1f}'
            f'M{low:.1f} {y - 4}v8M{high:.1f} {y - 4}v8"/>')


def ratio_row(results, case, name, y, scale):
    """The mark, its error bar and its words."""
    median = results.ratio(case, name)
    color = COLORS[kind_of(results, name)]
    yield label_of(results, name, y)
    title = (f"{results.labels()[name]}, {heading(case)}: {median.value:.3f} "
             f"({median.low:.3f} to {median.high:.3f}, {len(median.values)} rounds)")
    if median.value > WIDEST_RATIO:
        x = scale(scale.high)
        yield (f'<text class="label" x="{x - 10:.1f}" y="{y + 4}" text-anchor="end">'
               f"{median.value:.2f} →</text>")
        return
    yield whisker(scale(median.low), min(scale(median.high), scale(scale.high)), y, color)
    x = scale(median.value)
    yield with_title(mark(x, y, color, 4), x, y, title)


def names_in(results, case, figure="cpu"):
    return [name for name in results.labels() if results.median(case, name, figure)]


def ratio_panel(results, case):
    names = [name for name in names_in(results, case)
             if name != BASE and results.ratio(case, name)]
    medians = [results.ratio(case, name) for name in names]
    inside = [m for m in medians if m.value <= WIDEST_RATIO]
    low = min([m.low for m in inside] + [0.95])
    high = max([min(m.high, WIDEST_RATIO) for m in inside] + [1.05])
    scale = RatioScale(low, high, LABELS, PANEL_WIDTH - RIGHT_EDGE)
    height = HEAD + ROW * len(names) + FOOT + 6
    parts = list(grid(scale, height, "server CPU per echo, bare epoll = 1", heading(case)))
    one = scale(1.0)
    parts.append(f'<line class="one" x1="{one:.1f}" x2="{one:.1f}" y1="{HEAD}" '
                 f'y2="{height - FOOT}"/>')
    for index, name in enumerate(names):
        parts += ratio_row(results, case, name, HEAD + ROW * index + 14, scale)
    return parts, height


def latency_panel(results, case):
    names = names_in(results, case, "p50")
    both = {name: [results.median(case, name, what) for what in ("p50", "p99")] for name in names}
    values = [end for pair in both.values() for m in pair for end in (m.low, m.high) if end > 0]
    scale = LogScale(10 ** math.floor(math.log10(min(values))),
                     10 ** math.ceil(math.log10(max(values)) + 1e-9), LABELS,
                     PANEL_WIDTH - RIGHT_EDGE)
    height = HEAD + ROW * len(names) + FOOT + 6
    parts = list(grid(scale, height, "round trip, µs, log scale", heading(case)))
    for index, name in enumerate(names):
        y = HEAD + ROW * index + 14
        parts.append(label_of(results, name, y))
        for color, (what, median) in enumerate(zip(("p50", "p99"), both[name])):
            parts.append(whisker(scale(median.low), scale(median.high), y, color))
            x = scale(median.value)
            title = (f"{results.labels()[name]}, {heading(case)}, {what}: "
                     f"{number(median.value)} µs ({number(median.low)} to {number(median.high)})")
            parts.append(with_title(mark(x, y, color, 4), x, y, title))
    return parts, height


def dots(results, panel, keys, label):
    """Panels of rows, two beside each other, with one legend."""
    panels = [panel(results, case) for case in shown_cases(results)]
    parts, y = [], 30
    x = 20
    for color, text in keys:
        parts.append(mark(x, 16, color))
        parts.append(f'<text x="{x + 12}" y="20">{escape(text)}</text>')
        x += 44 + 6.6 * len(text)
    for index in range(0, len(panels), 2):
        beside = panels[index:index + 2]
        for column, (shapes, _) in enumerate(beside):
            parts.append(f'<g transform="translate({column * PANEL_WIDTH} {y})">'
                         f'{"".join(shapes)}</g>')
        y += max(height for _, height in beside) + 8
    return whole(parts, 2 * PANEL_WIDTH, y, label)


# --- the curve -----------------------------------------------------------------------------------


def upright(x, low, high, color):
    return (f'<path class="whisker c{color}" d="M{x:.1f} {low:.1f}V{high:.1f}'
            f'M{x - 4:.1f} {low:.1f}h8M{x - 4:.1f} {high:.1f}h8"/>')


def curve_panel(results, cases, names, figure, title, unit, log):
    """The panel's parts, and its lines for the legend."""
    lines, spreads = [], []
    for color, name in enumerate(names):
        line = Line(results.labels()[name], color)
        for case in cases:
            median = results.median(case, name, figure)
            gap = results.gaps[case].get(name, "not measured")
            text = f"{line.label}, {case.connections:,} connections: "
            told = f"{number(median.value)} {unit}" if median else gap
            line.points.append((case.connections, median and median.value, text + told))
            if median:
                spreads.append((case.connections, median.low, median.high, color))
        lines.append(line)
    panel = Panel(title, f"{unit}, log scale" if log else unit, lines, log)
    to_x, ends = x_scale(panel), [end for _, low, high, _ in spreads for end in (low, high)]
    bottom = PANEL_HEIGHT - BOTTOM
    to_y = LinearScale(max(ends), bottom, TOP)
    if log:
        to_y = LogScale(10 ** math.floor(math.log10(min(ends))),
                        10 ** math.ceil(math.log10(max(ends))), bottom, TOP)
    parts = list(axes(panel, to_x, to_y))
    parts += [upright(to_x(x), to_y(low), to_y(high), color) for x, low, high, color in spreads]
    for line in lines:
        parts += drawn(line, to_x, to_y)
    return parts, lines


def curve(results):
    cases = results.cases("curve")
    names = [name for name in results.labels() if any(name in results.runs[c] for c in cases)][:4]
    plots = [("perSecond", "Throughput", "echoes/s", False), ("p99", "p99 round trip", "µs", True)]
    panels = [curve_panel(results, cases, names, *plot) for plot in plots]
    keys, top = legend(panels[0][1], 2 * PANEL_WIDTH)
    parts = [*keys]
    for column, (shapes, _) in enumerate(panels):
        parts.append(f'<g transform="translate({column * PANEL_WIDTH} {top})">'
                     f'{"".join(shapes)}</g>')
    return whole(parts, 2 * PANEL_WIDTH, top + PANEL_HEIGHT, "From few connections to many")


def pictures(results):
    """By file name; none of what was not measured."""
    found = {}
    if any(results.runs[case] for case in results.cases("echo")):
        kinds = [(COLORS["ours"], "nio"), (COLORS["bare"], "loops without a library"),
                 (COLORS["peer"], "peers; bars: least to most of the rounds")]
        found["cpu.svg"] = dots(results, ratio_panel, kinds, "CPU time per echo")
        times = [(0, "p50"), (1, "p99; bars: least to most of the rounds")]
        found["latency.svg"] = dots(results, latency_panel, times, "Round trips")
    if any(results.runs[case] for case in results.cases("curve")):
        found["curve.svg"] = curve(results)
    return found
