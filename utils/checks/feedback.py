"""Write feedback for learners, in the same words as text and as HTML.

The HTML inherits the colours of the page, so it is readable in a light and in a dark theme.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import matplotlib as mpl
import numpy as np
from torch import Tensor

from utils.checks import bank
from utils.checks.compare import Comparison, Evidence, Verdict, differences
from utils.checks.kinds import kind_of
from utils.checks.tasks import Reason
from utils.plots import WEIGHT_COLOURS, ink_on

FULL, EMPTY = "█░"  # what a bar is drawn with
GOOD, BAD, PLAIN = "#009e73", "#d55e00", "#56b4e9"  # safe for colour-blind readers
LARGEST_QUOTE = 12  # entries of a tensor that is written out, at most
MOST_SLIPS = 3  # missed bugs that are named at a time
IN_FOLD = "Stuck? The fold below this cell opens an answer."
LONGEST_TEXT = 400  # characters of a text that is written out
LONGEST_QUOTE = 120  # characters of any other input that is written out


@dataclass(frozen=True)
class Note:
    """A few lines to be displayed as text or as HTML. Code stands between backticks.

    Args:
        heading: first line.
        lines: lines below the heading.
        colour: colour of the bar on the left.
        picture: HTML below the lines; the text has the table in its place, if there is one.
        table: rows of a table below the lines, if there is no picture; the first row is its head.
        next_step: last line, for readers who can act on it in the notebook.
        is_folded: whether a page shows the heading alone, until somebody opens it.
        below: another note, shown below this one.
        seen: whether the note has been shown.
    """

    heading: str
    lines: Sequence[str] = ()
    colour: str = PLAIN
    picture: str = ""
    table: Sequence[Sequence[str]] = field(default_factory=list)
    next_step: str = ""
    is_folded: bool = False
    below: "Note | None" = None
    seen: bool = field(default=False, compare=False)

    @property
    def _all_lines(self) -> list[str]:
        return [*self.lines, *filter(None, [self.next_step])]

    def __repr__(self) -> str:
        object.__setattr__(self, "seen", True)  # any display of a note asks for its text too
        rows = [" | ".join(row) for row in self.table]
        below = [repr(self.below)] if self.below else []
        lines = (f"  {line}" for line in [*self._all_lines, *rows])
        return "\n".join([self.heading, *lines, *below])

    def _repr_html_(self) -> str:
        lines = "".join(
            f'<div style="margin-top:4px">{to_html(line)}</div>' for line in self._all_lines
        )
        head, *rows = self.table or [[]]
        table = "".join(
            "<tr>" + "".join(_table_cell(tag, text) for text in row) + "</tr>"
            for tag, row in [("th", head), *(("td", row) for row in rows)]
        )
        role, heading, end = ' role="status"', f"<div><b>{to_html(self.heading)}</b></div>", ""
        if self.is_folded:  # nothing to be read out before somebody opens it
            role, end = "", "</details>"
            heading = f"<details><summary>{to_html(self.heading)}</summary>"
        return (
            f'<div{role} style="border-left:4px solid {self.colour};padding:2px 0 2px 12px;'
            f'margin:4px 0;max-width:46em">{heading}{lines}'
            + (
                f'<table style="margin:6px 0 0 0;color:inherit;font-size:inherit">{table}</table>'
                if self.table and not self.picture
                else ""
            )
            + (f"<div {_AIR}>{self.picture}</div>" if self.picture else "")
            + f"{end}</div>"
            + (self.below._repr_html_() if self.below else "")
        )


_AIR = 'style="margin-top:8px"'


def _table_cell(tag: str, text: str) -> str:
    tag = tag if text else "td"  # an empty heading is no heading
    is_bar = text and {*text} <= {FULL, EMPTY}  # the numbers beside it say the same
    silent = ' aria-hidden="true"' if is_bar else ""
    style = 'style="text-align:left;padding:2px 14px 2px 0"'
    return f"<{tag} {style}{silent}>{to_html(text)}</{tag}>"


def to_html(text: str) -> str:
    """Escape a text for HTML, and set `code` in backticks as code and *emphasis* in italics."""
    code = r'<code style="background:none;color:inherit;padding:0">\1</code>'
    escaped = re.sub(r"(?<!\w)\*(\w[\w ]*)\*(?!\w)", r"<em>\1</em>", html.escape(text))
    return re.sub(r"`([^`]+)`", code, escaped)


def explain(verdict: Verdict, printed_lines: int = 0) -> Note:
    """Return a note that explains a verdict in words and with a picture."""
    drawn = draw(verdict.comparison) if verdict.comparison else ""
    return replace(in_words(verdict, printed_lines), picture=drawn)


def in_words(verdict: Verdict, printed_lines: int = 0) -> Note:
    """Return a note that explains a verdict in words: the fault, its place and the next step."""
    task = verdict.task
    count = "1 line" if printed_lines == 1 else f"{printed_lines:,} lines"
    hidden = f"Your code printed {count} while it was checked. Prints are left out here."
    printed = [hidden] if printed_lines else []
    first = heading(task.title, verdict.reason, verdict.points, task.points)
    if verdict.passed:
        return Note(first, [verdict.message, *printed], GOOD)
    mistake, evidence = verdict.mistake, verdict.evidence
    more = filter(None, [verdict.relation, verdict.right, verdict.where])
    lines, kind = [verdict.message, *_describe_slips(verdict.slips), *more], kind_of(task)
    if mistake:
        lines.insert(0 if kind.mistake_comes_first else len(lines), mistake.explanation)
    if evidence and kind.is_code:
        lines += _locate(verdict, evidence)
    if mistake:
        lines.append(f"To think about: {mistake.hint}")
    stuck = "" if task.points else IN_FOLD
    if task.hints:
        stuck = f'Stuck? `hint("{task.id}")` opens the next hint.'
    if verdict.reason == Reason.NOTHING:  # no mistake yet: a stub that was run, or a whole notebook
        return Note(first, [*lines, *printed], next_step=stuck)
    return Note(first, [*lines, *printed], BAD, next_step=stuck)


def heading(title: str, reason: Reason, points: float, of: float) -> str:
    """Return the first line of the feedback on a task, of whose points some were earned."""
    if reason == Reason.PASSED:
        earned = f", {points:g} of {of:g} point{'' if of == 1 else 's'}" if of else ""
        return f"✓ {title}: passed{earned}"
    if reason == Reason.NOTHING:
        return f"○ {title}: your turn"
    return f"✗ {title}: not yet{f', {points:g} of {of:g} points so far' if points else ''}"


def _describe_slips(slugs: Sequence[str]) -> list[str]:
    """Name the beliefs behind the bugs that a test misses, without saying how to catch them."""
    lines = [
        f"{'Another' if number else 'What slips through: an implementation'} by somebody who "
        f"believes that {bank.misconceptions()[slug].belief}."
        for number, slug in enumerate(slugs[:MOST_SLIPS])
    ]
    more = len(slugs) - MOST_SLIPS
    return [*lines, f"And {more} more."] if more > 0 else lines


def _locate(verdict: Verdict, evidence: Evidence) -> list[str]:
    """Describe where an answer differs: case, inputs if they are short, shapes, first entry."""
    task, case = verdict.task, evidence.case
    shape, expected = evidence.actual.shape, evidence.expected.shape
    yours = f"shape {shape}" if shape == expected else f"shape {shape} instead of {expected}"
    lines = [f"Seen with {case.label}: `{evidence.output}` of {yours}."]
    quoted = {name: _quote(value) for name, value in case.inputs.items()}
    if all(quoted.values()):
        lines.append("Inputs: " + ", ".join(f"`{name} = {text}`" for name, text in quoted.items()))
    for index in differences(evidence, task.tolerance):
        at = f"[{', '.join(map(str, index))}]" if index else ""
        expected, actual = _tell_apart(evidence.expected[index], evidence.actual[index])
        if task.returns == "texts":  # quote the input that the text was made from
            lines += [
                f"For `{name}[{index[0]}] = {texts[index[0]]!r}`:"
                for name, texts in case.inputs.items()
                if isinstance(texts, list)
            ]
        lines.append(
            f"First difference: `{evidence.output}{at}` should be {expected}, is {actual}."
        )
        break
    return lines


def _quote(value) -> str:
    """Write out an input as code; "" if it is too long."""
    if not isinstance(value, Tensor):
        most = LONGEST_TEXT if isinstance(value, str) else LONGEST_QUOTE
        return repr(value) if len(repr(value)) <= most else ""
    if value.numel() > LARGEST_QUOTE:
        return ""
    if value.is_floating_point():
        value = value.double().mul(1000).round().div(1000)
    return f"torch.tensor({value.tolist()})"


def _tell_apart(expected: np.generic, actual: np.generic, least: int = 4) -> tuple[str, str]:
    """Format two entries that differ, with enough digits to show the difference."""
    for digits in range(least, 18):
        left, right = (_entry(value, digits) for value in (expected, actual))
        if left != right:
            break
    return left, right


def _entry(value: np.generic, digits: int) -> str:
    if value.dtype.kind == "U":
        return repr(str(value))
    return f"{value:.{digits}g}" if value.dtype.kind == "f" else str(value)


def draw(comparison: Comparison, whose: str = "yours") -> str:
    """Draw expected beside actual values as HTML, coloured on one scale."""
    expected, actual, place = comparison
    low, high = min(expected.min(), actual.min()), max(expected.max(), actual.max())
    largest = max(-low, high) or 1.0  # huge numbers are scaled, so differences are finite
    room = high / largest - low / largest or 1.0
    tables = []
    for title, numbers, other in (("expected", expected, actual), (whose, actual, expected)):
        shares = (numbers / largest - low / largest) / room
        colours = mpl.colormaps[WEIGHT_COLOURS](shares)
        rows = [
            "".join(
                number_cell(numbers[at], colours[at], other[at] if at == place else None)
                for at in ((row, column) for column in range(numbers.shape[1]))
            )
            for row in range(len(numbers))
        ]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        caption = f'<caption style="text-align:left;padding:0">{title}</caption>'
        tables.append(
            f'<table style="margin:0 20px 4px 0;font-size:0.9em;border-spacing:1px">{caption}'
            f"{body}</table>"
        )
    return f'<div style="display:flex;flex-wrap:wrap;overflow-x:auto">{"".join(tables)}</div>'


def number_cell(number: np.generic, colour: np.ndarray, other: np.generic | None = None) -> str:
    """Write a number as a table cell; one that differs from `other` is written out, in a frame."""
    text = f"{number:.3g}" if other is None else _tell_apart(number, other, 3)[0]
    frame = "" if other is None else f";outline:2px solid {BAD};outline-offset:-2px"
    style = f"background:{mpl.colors.to_hex(colour)};color:{ink_on(colour)}{frame}"
    return f'<td style="padding:2px 6px;text-align:right;white-space:nowrap;{style}">{text}</td>'
