"""Points to pictures: SVG that stands alone, legible on light and dark."""
import math
from dataclasses import dataclass, field
from html import escape

PANEL_WIDTH, PANEL_HEIGHT = 470, 320
LEFT, RIGHT, TOP, BOTTOM = 62, 24, 46, 44
LEGEND_LEFT = 20
COLORS = 4

# Series beyond the fourth share a colour and are dashed.
STYLE = """
.figure { --ink: #1c2126; --soft: #5b6570; --grid: #e3e6ea; --paper: #ffffff;
  --c0: #0b69b7; --c1: #c2410c; --c2: #047857; --c3: #9d2c86; }
@media (prefers-color-scheme: dark) {
  .figure { --ink: #e8ebee; --soft: #a3adb8; --grid: #30363d; --paper: #14181d;
    --c0: #58b0f5; --c1: #fb8b4c; --c2: #3ecf9b; --c3: #ec8ad0; } }
.figure { font: 13px system-ui, sans-serif; }
.figure .paper { fill: var(--paper); }
.figure text { fill: var(--ink); }
.figure .soft { fill: var(--soft); font-size: 12px; }
.figure .title { font-weight: 600; font-size: 14px; }
.figure .grid { stroke: var(--grid); stroke-width: 1; }
.figure .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.figure .dashed { stroke-dasharray: 6 4; }
.figure .mark { stroke: var(--paper); stroke-width: 1; }
.figure .gap { stroke-width: 2; fill: none; }
.figure .hit { fill: transparent; }
""" + "".join(
    f".figure .line.c{i}, .figure .gap.c{i} {{ stroke: var(--c{i}); }}"
    f" .figure .mark.c{i} {{ fill: var(--c{i}); }}\n"
    for i in range(COLORS)
)


@dataclass
class Line:
    label: str
    color: int  # 0 to 3, also its mark
    dashed: bool = False
    points: list = field(default_factory=list)  # (x, y, title); y None: a gap, title says why


@dataclass
class Panel:
    title: str
    unit: str
    lines: list
    log_y: bool = False
    x_name: str = "clients"


def number(value):
    """As few digits as tell it."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def short(value):
    """For an axis: 20k, 1.5M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


# --- scales --------------------------------------------------------------------------------------


class LogScale:
    def __init__(self, low, high, begin, end):
        self.low, self.high = math.log10(low), math.log10(high)
        if self.high - self.low < 1e-9:
            self.high = self.low + 1
        self.begin, self.end = begin, end

    def __call__(self, value):
        # What is not above zero stands on the axis.
        power = math.log10(value) if value > 0 else self.low
        part = (power - self.low) / (self.high - self.low)
        return self.begin + part * (self.end - self.begin)

    def ticks(self):
        powers = range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1)
        return [10.0**power for power in powers]


class LinearScale:
    def __init__(self, high, begin, end):
        self.step = self.nice_step(high)
        self.high = math.ceil(high / self.step) * self.step
        self.begin, self.end = begin, end

    @staticmethod
    def nice_step(high):
        rough = (high or 1) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        return next(f * power for f in (1, 2, 5, 10) if f * power >= rough)

    def __call__(self, value):
        return self.begin + value / self.high * (self.end - self.begin)

    def ticks(self):
        return [i * self.step for i in range(round(self.high / self.step) + 1)]


def x_scale(panel):
    values = [x for line in panel.lines for x, _, _ in line.points]
    return LogScale(min(values), max(values), LEFT + 8, PANEL_WIDTH - RIGHT - 8)


def y_scale(panel):
    values = [y for line in panel.lines for _, y, _ in line.points if y is not None]
    bottom, top = PANEL_HEIGHT - BOTTOM, TOP
    if not panel.log_y:
        return LinearScale(max(values, default=1), bottom, top)
    positive = [y for y in values if y > 0] or [1]
    low = 10 ** math.floor(math.log10(min(positive)))
    high = 10 ** math.ceil(math.log10(max(positive)))
    return LogScale(low, high, bottom, top)


# --- one panel -----------------------------------------------------------------------------------


def mark(x, y, color, size=4.5):
    """Each colour has a shape too."""
    if color == 0:
        return f'<circle class="mark c0" cx="{x:.1f}" cy="{y:.1f}" r="{size}"/>'
    corners = {
        1: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        2: [(0, -1.25), (1.2, 1), (-1.2, 1)],
        3: [(0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)],
    }[color]
    points = " ".join(f"{x + dx * size:.1f},{y + dy * size:.1f}" for dx, dy in corners)
    return f'<polygon class="mark c{color}" points="{points}"/>'


def with_title(shape, x, y, title):
    hit = f'<circle class="hit" cx="{x:.1f}" cy="{y:.1f}" r="10"/>'
    return f"<g>{shape}{hit}<title>{escape(title)}</title></g>"


def axes(panel, to_x, to_y):
    bottom, right = PANEL_HEIGHT - BOTTOM, PANEL_WIDTH - RIGHT
    for tick in to_y.ticks():
        y = to_y(tick)
        yield f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        label = short(tick)
        yield f'<text class="soft" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
    for tick in to_x.ticks():
        x = to_x(tick)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>'
        yield (f'<text class="soft" x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">'
               f"{tick:,.0f}</text>")
    yield (f'<text class="soft" x="{(LEFT + right) / 2}" y="{bottom + 35}" text-anchor="middle">'
           f"{escape(panel.x_name)}</text>")
    yield f'<text class="title" x="{LEFT}" y="20">{escape(panel.title)}</text>'
    yield f'<text class="soft" x="{LEFT}" y="36">{escape(panel.unit)}</text>'


def cross(x, y, color):
    return (f'<path class="gap c{color}" d="M{x - 4:.1f} {y - 4:.1f}l8 8'
            f'm0 -8l-8 8"/>')


def drawn(line, to_x, to_y):
    """The line, broken where there is a gap; a mark for each point, a cross for each gap."""
    bottom = PANEL_HEIGHT - BOTTOM
    runs, marks = [[]], []
    for x, y, title in line.points:
        px = to_x(x)
        if y is None:
            runs.append([])
            at = bottom - 7 - 11 * line.color
            marks.append(with_title(cross(px, at, line.color), px, at, title))
            continue
        runs[-1].append(f"{px:.1f},{to_y(y):.1f}")
        marks.append(with_title(mark(px, to_y(y), line.color), px, to_y(y), title))
    dashed = " dashed" if line.dashed else ""
    for run in filter(None, runs):
        yield f'<polyline class="line c{line.color}{dashed}" points="{" ".join(run)}"/>'
    yield from marks


def panel_parts(panel):
    to_x, to_y = x_scale(panel), y_scale(panel)
    yield from axes(panel, to_x, to_y)
    for line in panel.lines:
        yield from drawn(line, to_x, to_y)


# --- the figure ----------------------------------------------------------------------------------


def legend(lines, width):
    """The legend's parts, and its height: as many rows as it takes."""
    parts, x, y = [], LEGEND_LEFT, 16
    for line in lines:
        needed = 34 + 7.2 * len(line.label)
        if x > LEGEND_LEFT and x + needed > width:
            x, y = LEGEND_LEFT, y + 22
        dashed = " dashed" if line.dashed else ""
        ends = f"{x:.0f},{y} {x + 28:.0f},{y}"
        parts.append(f'<polyline class="line c{line.color}{dashed}" points="{ends}"/>')
        parts.append(mark(x + 14, y, line.color))
        parts.append(f'<text x="{x + 34:.0f}" y="{y + 4}">{escape(line.label)}</text>')
        x += needed + 18
    return parts, y + 18


def figure(groups, label, columns=2):
    """SVG of groups of panels: each begins a row and has the legend of its lines above it."""
    parts, y, width = [], 0, columns * PANEL_WIDTH
    for panels in groups:
        longest = max((panel.lines for panel in panels), key=len)
        keys, height = legend(longest, width)
        parts.append(f'<g transform="translate(0 {y})">{"".join(keys)}</g>')
        y += height
        for index, panel in enumerate(panels):
            x = index % columns * PANEL_WIDTH
            top = y + index // columns * PANEL_HEIGHT
            parts.append(f'<g transform="translate({x} {top})">{"".join(panel_parts(panel))}</g>')
        y += math.ceil(len(panels) / columns) * PANEL_HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {width} {y}" '
        f'role="img" aria-label="{escape(label)}">\n<style>{STYLE}</style>\n'
        f'<rect class="paper" width="{width}" height="{y}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
