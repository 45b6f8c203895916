"""Draw what an item shows, as HTML that needs no style sheet, no script and no network.

A part is a text, or a dictionary: a table of numbers, shaded like a map (`cells`, `rows`,
`columns`, `digits`), lines of `code`, or `lines` over common places `x`. The same HTML stands in
notebooks, on the site, and on cards for Anki.
"""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from utils.checks.feedback import to_html

SHADES = ((255, 255, 255), (86, 180, 233))  # of the smallest and the largest number of a table
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # of lines: Okabe and Ito's
DASHES = ("", "6 3", "2 3", "8 3 2 3")  # so that no line is told by its colour alone
HEAD = "padding:1px 6px;font-weight:normal;text-align:center"  # the style of a label
CELL = "padding:2px 6px;text-align:right;border:1px solid #888;color:#000"  # and of a number
WIDTH, HEIGHT = 260, 140  # of a picture of lines, in pixels


def as_html(part: Any) -> str:
    """Return a part as HTML."""
    if isinstance(part, str):
        return to_html(part)
    if "cells" in part:
        return _table(**part)
    if "code" in part:
        return (
            '<pre style="margin:2px 0;background:none;color:inherit;overflow-x:auto"><code>'
            f"{html.escape(part['code'])}</code></pre>"
        )
    return _lines(**part)


def as_words(part: Any) -> str:
    """Return a part as a line of text, for a screen reader or a table."""
    if isinstance(part, str):
        return part
    if "cells" in part:
        rows = [" ".join(_entry(cell, part["digits"]) for cell in row) for row in part["cells"]]
        return " / ".join(rows)
    if "code" in part:
        return part["code"]
    return "; ".join(f"{name} {values}".strip() for name, values in part["lines"].items())


def _entry(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def _table(
    cells: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], digits: int
) -> str:
    numbers = [number for row in cells for number in row]
    low, high = min(0, *numbers), max(*numbers, 0)
    lines = []
    if columns:
        heads = [f'<th scope="col" style="{HEAD}">{html.escape(name)}</th>' for name in columns]
        lines.append((["<td></td>"] if rows else []) + heads)
    for place, row in enumerate(cells):
        head = [f'<th scope="row" style="{HEAD}">{html.escape(rows[place])}</th>'] if rows else []
        lines.append(head + [_cell(number, digits, low, high) for number in row])
    body = "".join(f"<tr>{''.join(line)}</tr>" for line in lines)
    return f'<table style="border-collapse:collapse;margin:2px 0">{body}</table>'


def _cell(number: float, digits: int, low: float, high: float) -> str:
    share = (number - low) / (high - low) if high > low else 0
    colour = ",".join(f"{round(a + share * (b - a))}" for a, b in zip(*SHADES, strict=True))
    return f'<td style="{CELL};background:rgb({colour})">{_entry(number, digits)}</td>'


def _lines(x: Sequence[float], lines: Mapping[str, Sequence[float]], axes: Sequence[str]) -> str:
    """Draw lines, each with its name at its end, and the ends of both axes."""
    heights = [height for line in lines.values() for height in line]
    low, high = min(heights), max(heights)
    left, right, top, bottom = 34, WIDTH - 60, 8, HEIGHT - 30

    def place(a: float, b: float) -> str:
        across = (a - x[0]) / (x[-1] - x[0])
        up = (b - low) / (high - low) if high > low else 0.5
        return f"{left + across * (right - left):.1f},{bottom - up * (bottom - top):.1f}"

    drawn = []
    for (name, values), colour, dash in zip(lines.items(), COLOURS, DASHES, strict=False):
        points = [place(a, b) for a, b in zip(x, values, strict=True)]
        end = points[-1].partition(",")[2]
        drawn.append(
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" '
            f'stroke-width="2" stroke-dasharray="{dash}"/>'
            f'<text x="{right + 4}" y="{float(end) + 4:.0f}">{html.escape(name)}</text>'
        )
    ends = (
        f'<text x="{left - 3}" y="{bottom}" text-anchor="end">{low:.3g}</text>'
        f'<text x="{left - 3}" y="{top + 8}" text-anchor="end">{high:.3g}</text>'
        f'<text x="{left}" y="{bottom + 13}">{x[0]:.3g}</text>'
        f'<text x="{right}" y="{bottom + 13}" text-anchor="end">{x[-1]:.3g}</text>'
        f'<text x="{(left + right) / 2}" y="{bottom + 25}" text-anchor="middle">'
        f"{html.escape(axes[0])}</text>"
    )
    frame = f'<path d="M{left},{top}V{bottom}H{right}" fill="none" stroke="currentColor"/>'
    words = html.escape(f"{axes[1]} over {axes[0]}: {as_words({'lines': lines})}", quote=True)
    return (
        f'<svg role="img" aria-label="{words}" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" style="font:11px sans-serif" fill="currentColor">{frame}{ends}'
        f"{''.join(drawn)}</svg>"
    )
