"""What was measured, for people: the page, and the picture and the tables of the document."""
from html import escape

from experiment_plot import Line, Panel, figure, number

BEGIN = "<!-- experiment: begin -->"
END = "<!-- experiment: end -->"

# What is plotted and tabled: key, title, unit, log axis.
THROUGHPUT = ("echoesPerSecond", "Throughput", "echoes/s", False)
P99 = ("p99Milliseconds", "p99 latency", "ms, log scale", True)
MEMORY = ("rssGrowthMib", "Memory", "MiB of growth against idle, log scale", True)
CPU = ("cpuMicrosecondsPerEcho", "Server CPU per echo", "µs", False)
PANELS = {"none": (THROUGHPUT, P99, MEMORY, CPU)}
PANELS_OF_BLOCKING = (THROUGHPUT, P99)


def panels_of(work):
    return PANELS.get(work["work"], PANELS_OF_BLOCKING)


def point_of(work, series, clients):
    return next(
        (p for p in work["points"] if p["series"] == series["key"] and p["clients"] == clients),
        None,
    )


# --- the picture ---------------------------------------------------------------------------------


def title_of(series, point, unit, value):
    who = f"{series['label']}, {point['clients']:,} clients"
    if value is None:
        return f"{who}: {point['gap'] or 'no figure'}"
    told = f"{who}: {number(value)} {unit}"
    note = point["median"]["note"]
    return f"{told} ({note})" if note else told


def line_of(work, series, key, unit):
    line = Line(series["label"], series["color"], series["dashed"])
    for clients in work["clients"]:
        if point := point_of(work, series, clients):
            value = point["median"] and point["median"][key]
            line.points.append((clients, value, title_of(series, point, unit, value)))
    return line


def group_of(work):
    return [
        Panel(
            f"{title} – {work['title']}",
            unit,
            [line_of(work, series, key, unit.split(",")[0].split(" of ")[0])
             for series in work["series"]],
            log,
        )
        for key, title, unit, log in panels_of(work)
    ]


def picture(works):
    return figure([group_of(work) for work in works], "Threading models compared")


# --- tables --------------------------------------------------------------------------------------


def gaps_of(work):
    labels = {series["key"]: series["label"] for series in work["series"]}
    return [f"{labels[p['series']]}, {p['clients']:,} clients: {p['gap']}"
            for p in work["points"] if p["gap"]]


def cell(point, key):
    if point is None or not point["median"] or point["median"][key] is None:
        return "–"
    mark = "†" if point["median"]["note"] else ""
    return number(point["median"][key]) + mark


def markdown_table(work, key):
    yield "| clients | " + " | ".join(series["label"] for series in work["series"]) + " |"
    yield "| ---: |" + " ---: |" * len(work["series"])
    for clients in work["clients"]:
        cells = [cell(point_of(work, series, clients), key) for series in work["series"]]
        yield f"| {clients:,} | " + " | ".join(cells) + " |"


def notes_of(work):
    """Each note once, with the points that it is about."""
    labels = {series["key"]: series["label"] for series in work["series"]}
    about = {}
    for point in work["points"]:
        if point["median"] and point["median"]["note"]:
            where = f"{labels[point['series']]} at {point['clients']:,}"
            about.setdefault(point["median"]["note"], []).append(where)
    return [f"{', '.join(where)}: {note}" for note, where in about.items()]


def host_line(result):
    host, settings = result["host"], result["settings"]
    return (
        f"{host['cpus']} CPUs ({host['cpuModel']}), Linux {host['kernel']}, {host['pinning']}; "
        f"M = {settings['dispatchers']}, N = {settings['workers']}, messages of "
        f"{settings['messageBytes']} bytes; {settings['seconds']:g} s measured, median of "
        f"{settings['repeats']}; load average before: {host['loadAverageBefore']}."
    )


def markdown(result):
    """All between the markers of the document."""
    lines = [f"Measured on {result['date']} by `{result['command']}`:", host_line(result), ""]
    for work in result["works"]:
        for key, title, unit, _ in panels_of(work):
            lines += [f"**{title} – {work['title']}** ({unit.replace(', log scale', '')})", ""]
            lines += [*markdown_table(work, key), ""]
        if gaps := gaps_of(work):
            lines += ["Not measured:", "", *(f"- {gap}" for gap in gaps), ""]
        if notes := notes_of(work):
            lines += ["†", "", *(f"- {note}" for note in notes), ""]
    return "\n".join(lines)


def with_tables(document, result):
    """The document with what stands between its markers replaced."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document has no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{markdown(result)}{END}{after}"


# --- the page ------------------------------------------------------------------------------------

PAGE_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1000px; margin: 2em auto; padding: 0 1em;
  background: #ffffff; color: #1c2126; }
svg.figure { width: 100%; height: auto; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .2em .6em; text-align: right; border-bottom: 1px solid #d8dce1; }
td { white-space: nowrap; }
th { vertical-align: bottom; }
td.who, th.who { text-align: left; }
td.gap { text-align: left; font-style: italic; white-space: normal; }
dt { font-weight: 600; } dd { margin: 0 0 .4em 0; overflow-wrap: anywhere; }
code { font-size: 14px; }
@media (prefers-color-scheme: dark) {
  body { background: #14181d; color: #e8ebee; } th, td { border-color: #3a424b; } }
"""

COLUMNS = (
    ("echoesPerSecond", "echoes/s"),
    ("p99Milliseconds", "p99 ms"),
    ("rssGrowthMib", "growth MiB"),
    ("peakMib", "peak MiB"),
    ("kernelStackGrowthMib", "kernel stacks MiB"),
    ("cpuMicrosecondsPerEcho", "CPU µs/echo"),
    ("serverCpus", "CPUs server"),
    ("clientCpus", "CPUs client"),
    ("threads", "threads"),
)


def html_row(series, point):
    head = f'<td>{point["clients"]:,}</td><td class="who">{escape(series["label"])}</td>'
    if point["gap"]:
        reason = f'<td class="gap" colspan="{len(COLUMNS) + 1}">{escape(point["gap"])}</td>'
        return f"<tr>{head}{reason}</tr>"
    rates = [run["echoesPerSecond"] for run in point["runs"]]
    spread = f"{number(min(rates))} to {number(max(rates))}" if len(rates) > 1 else "one run"
    cells = [cell(point, key) for key, _ in COLUMNS]
    cells.insert(1, spread)
    return f"<tr>{head}" + "".join(f"<td>{text}</td>" for text in cells) + "</tr>"


def html_table(work):
    heads = [label for _, label in COLUMNS]
    heads.insert(1, "range")
    yield '<div class="wide"><table><tr><th>clients</th><th class="who">model</th>'
    yield "".join(f"<th>{head}</th>" for head in heads) + "</tr>"
    for clients in work["clients"]:
        for series in work["series"]:
            if point := point_of(work, series, clients):
                yield html_row(series, point)
    yield "</table></div>"
    for note in notes_of(work):
        yield f"<p>† {escape(note)}</p>"


def facts(result):
    for name, value in {**result["host"], **result["settings"]}.items():
        yield f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>"
    for work in result["works"]:
        for series in work["series"]:
            yield f'<dt>{escape(series["label"])} ({escape(work["title"])})</dt>'
            yield f'<dd><code>{escape(series["command"])}</code></dd>'


def html(result):
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>Threading models</title><style>{PAGE_STYLE}</style></head><body>",
        "<h1>Threading models compared</h1>",
        f"<p>Measured on {escape(result['date'])} by <code>{escape(result['command'])}</code>. "
        f"{escape(host_line(result))} Hover over a mark for its figure; a cross is a run without "
        "one, and says why.</p>",
        picture(result["works"]),
    ]
    for work in result["works"]:
        parts += [f"<h2>{escape(work['title'].capitalize())}</h2>", *html_table(work)]
    parts += ["<h2>Where and how</h2><dl>", *facts(result), "</dl></body></html>\n"]
    return "\n".join(parts)
