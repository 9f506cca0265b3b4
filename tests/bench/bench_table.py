"""Tables in Markdown, and figures as they stand in them."""


def row(cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def table(headings, rows, words=1):
    """The first `words` columns are text, the others numbers."""
    marks = ["---"] * words + ["---:"] * (len(headings) - words)
    return [row(headings), row(marks), *map(row, rows)]


def ratio(median):
    """The median, and its spread where it is one of several."""
    if median is None:
        return "–"
    mark = "" if median.trusted else "†"
    if len(median.values) < 2:
        return f"{median.value:.2f}{mark}"
    return f"{median.value:.2f}{mark} ({median.low:.2f}–{median.high:.2f})"


def figure(median, digits, scale=1.0):
    if median is None:
        return "–"
    mark = "" if median.trusted else "†"
    return f"{median.value * scale:,.{digits}f}{mark}"


def counted(number, thing):
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def bytes_of(size):
    return f"{size // 1024} KiB" if size % 1024 == 0 else f"{size} B"


def heading(case):
    text = f"{case.connections:,} × {bytes_of(case.size)}"
    return text if case.depth == 1 else f"{text}, depth {case.depth}"


def sentence(words):
    """a, b and c."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
