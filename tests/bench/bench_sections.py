"""The parts of the page, each a list of lines; empty where nothing of it was measured."""
from bench_plan import BASE
from bench_table import bytes_of, counted, figure, heading, ratio, sentence, table
from bench_targets import demand, outcomes


def measured_on(results):
    lines = []
    for session in results.sessions:
        host = session["host"]
        kept = host["kept"]
        lines.append(
            f"- {session['date']}, `{session['command']}`: "
            f"{host['cpus']} CPUs ({host['cpuModel']}), Linux {host['kernel']}, {host['memoryMib']:,} MiB, governor: {host['governor']}; "
            f"{host['pinning']}; {counted(kept['rounds'], 'round')} of {kept['seconds']:g} s after "
            f"{kept['warmup']:g} s of warm-up; load average before: {host['loadAverageBefore']}.")
    return lines


def quality(results):
    """How many runs were clean, and what disturbed the others."""
    runs = [run for servers in results.runs.values() for by_place in servers.values()
            for run in by_place.values()]
    if not runs:
        return []
    clean = sum(run["clean"] for run in runs)
    lines = [f"{clean:,} of {len(runs):,} runs were clean. The others were disturbed even after "
             "they had been repeated, and are left out where two clean rounds or more are left; "
             "† marks a figure that has fewer, and is of all its runs."]
    if refused := results.refusals():
        labels = results.labels()
        lines += ["", "Took no part: " + sentence(
            f"{labels[name]} ({why})" for name, why in refused.items()) + "."]
    return lines


def by_server(results, cases, cell):
    """A row for each server that has a figure in one of these cases."""
    rows = []
    for name, label in results.labels().items():
        cells = [cell(case, name) for case in cases]
        if any(text != "–" for text in cells):
            rows.append([f"**{label}**" if name in results.ours() else label, *cells])
    return rows


def halves(cases):
    """No table wider than a page."""
    return [cases[i:i + 8] for i in range(0, len(cases), 8)]


def cpu_ratios(results):
    cases = results.cases("echo")
    lines = []
    for part in halves(cases):
        rows = by_server(results, part, lambda case, name: ratio(results.ratio(case, name)))
        absolute = [figure(results.median(case, BASE, "cpu"), 3) for case in part]
        rows.append(["bare epoll, µs per echo", *absolute])
        lines += [*table(["server", *map(heading, part)], rows), ""]
    if not lines:
        return []
    return ["CPU time of the server for an echo, user and system, against the bare epoll loop of "
            "the same round: the median of the rounds, and (least–most). Columns: connections × size, "
            "and how many messages each connection has in flight.", "", *lines,
            "![CPU time per echo](cpu.svg)"]


def user_times(results):
    cases = [case for case in results.cases("echo") if case.depth == 1]
    if not cases:
        return []
    rows = by_server(results, cases, lambda case, name: figure(
        results.median(case, name, "user"), 2))
    return ["The part of it in user mode, in µs for an echo: what a library adds to the kernel's "
            "work. The kernel counts it in ticks, so it is rougher than the sum; this is the mean "
            "of the rounds.", "",
            *table(["server", *map(heading, cases)], rows)]


def latencies(results):
    cases = results.cases("echo")
    lines = []
    for part in halves(cases):
        rows = by_server(results, part, lambda case, name: " / ".join(
            figure(results.median(case, name, what), 0) for what in ("p50", "p99"))
            if results.median(case, name, "p50") else "–")
        lines += [*table(["server", *map(heading, part)], rows), ""]
    if not lines:
        return []
    return ["p50 / p99 of the round trip in µs, as echo-client sees it in a closed loop with all "
            "connections busy.", "", *lines, "![Round trips](latency.svg)"]


def memory(results):
    lines = []
    for case in results.cases("idle"):
        each = 1 / case.connections
        rows = [[label, cells[0], cells[1]] for name, label in results.labels().items()
                if (cells := [figure(results.median(case, name, what), 2, each)
                              for what in ("privateKib", "residentKib")])[0] != "–"]
        lines += [f"User memory of a connection that is silent, of {case.connections:,}: KiB of "
                  "pages that the process has written and has for itself, and resident ones.", "",
                  *table(["server", "KiB, private and written", "KiB, resident"], rows)]
    return lines


def accepts(results):
    cases = results.cases("accept")
    if not cases:
        return []
    rows = []
    for case in cases:
        for name, label in results.labels().items():
            if results.median(case, name, "cpu"):
                rows.append([label, case.threads,
                             figure(results.median(case, name, "perSecond"), 0),
                             ratio(results.ratio(case, name, "perSecond")),
                             figure(results.median(case, name, "cpu"), 2),
                             ratio(results.ratio(case, name))])
    headings = ["server", "dispatchers", "connections/s", "× bare epoll", "CPU µs/connection",
                "× bare epoll"]
    return [f"Connect, one echo of {bytes_of(cases[0].size)} and close (by a reset), over and over "
            f"on {cases[0].connections} connections at once.", "", *table(headings, rows)]


def curve(results):
    cases = results.cases("curve")
    if not cases:
        return []
    names = [name for name in results.labels() if any(name in results.runs[c] for c in cases)]
    headings = ["connections"]
    for name in names:
        headings += [f"{results.labels()[name]}, echoes/s", "p99 µs"]
    rows = []
    for case in cases:
        cells = [f"{case.connections:,}"]
        for name in names:
            cells += [figure(results.median(case, name, "perSecond"), 0),
                      figure(results.median(case, name, "p99"), 0)]
        rows.append(cells)
    return ["From few connections to many, 64 B, each with one message in flight.", "",
            *table(headings, rows), "", "![From few connections to many](curve.svg)"]


def scale(results):
    cases = results.cases("scale")
    rows = []
    for case in cases:
        one = type(case)(case.kind, case.connections, case.size, case.depth, 1)
        for name, label in results.labels().items():
            if median := results.median(case, name, "cpu"):
                rows.append([label, case.threads, figure(median, 3),
                             ratio(results.ratio(case, name, "cpu", name, one))])
    return rows and ["CPU time per echo with several dispatchers, all on the server's one CPU.", "",
                     *table(["server", "dispatchers", "CPU µs/echo", "× one dispatcher"], rows)]


def spin(results):
    rows = []
    for case in results.cases("spin"):
        for name, label in results.labels().items():
            if median := results.median(case, name, "p50"):
                rows.append([label, f"{case.connections:,}", figure(median, 1),
                             figure(results.median(case, name, "p99"), 1),
                             figure(results.median(case, name, "cpu"), 2),
                             figure(results.median(case, name, "serverBusy"), 0, 100)])
    headings = ["server", "connections", "p50 µs", "p99 µs", "CPU µs/echo", "server busy, %"]
    option = next((session["spin"] for session in results.sessions if session["spin"]), "")
    return rows and [f"Busy-polling: echo-server and the load with `{option}`; the peers sleep, "
                     "as they do.", "", *table(headings, rows)]


def targets(results):
    rows = []
    for outcome in outcomes(results, handed=results.handed, counted=results.counted):
        target = outcome.target
        if not outcome.cells:
            rows.append([target["id"], target["text"], demand(target), "not measured", "", "–"])
            continue
        worst, count = outcome.worst(), len(outcome.cells)
        mark = "" if worst.trusted else "†"
        name = worst.case if isinstance(worst.case, str) else heading(worst.case)
        where = f" at {name}" if count > 1 else ""
        found = f"{worst.value:.2f}{mark} ({worst.low:.2f}–{worst.high:.2f}){where}"
        met = outcome.met()
        verdict = "met" if met == count else f"**missed** ({met} of {count} cells met)" \
            if count > 1 else "**missed**"
        rows.append([target["id"], target["text"], demand(target), found, worst.peer or "–",
                     verdict])
    return ["Where a target is about several cells, its worst one is shown.", "",
            *table(["", "target", "demand", "measured", "best peer there", ""], rows, words=2)]


SECTIONS = [("Targets", targets), ("CPU per echo", cpu_ratios), ("User time", user_times),
            ("Round trips", latencies), ("Memory", memory), ("Accepting", accepts),
            ("The curve", curve), ("Dispatchers", scale), ("Busy-polling", spin)]
