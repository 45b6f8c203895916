"""Run an answer in one case, line by line, and show what each line sets: for `steps`.

Only the answer's own values are shown, never the right ones. The line that is marked is the one
that `check` points at, or would if it knew nothing but the numbers (`diagnosis.lines`).
"""

import ast
import base64
import contextlib
import html
import io
import itertools
import linecache
import reprlib
import sys
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from PIL import Image
from torch import Tensor

from utils.checks.code import BLOCKS, syntax
from utils.checks.compare import Verdict
from utils.checks.diagnosis.lines import Pointer, describe_lines
from utils.checks.feedback import BAD, Note, number_cell, to_html
from utils.checks.kinds import kind_of
from utils.checks.kinds.values import COMPARED
from utils.checks.limits import OutOfTime
from utils.checks.runner import Rerun, in_a_line, is_file, own_functions, with_article
from utils.checks.tasks import Answer, Case, Reason, Record
from utils.checks.trace import HUGE
from utils.plots import WEIGHT_COLOURS

ROUNDS = 3  # of a loop, or calls of a function in one line, that are shown; 1 of a loop in a loop
MOST_ROWS = 80
MOST_NUMBERS = 8  # rows or columns of a table of numbers
LARGEST_MAP = 40  # rows or columns of a map without numbers
PIXELS = 6  # of a map, for each number
MOST_BYTES = 120_000  # of all tables and maps together
LONGEST_STATEMENT = 400  # characters
NO_NUMBER = 0.75, 0.75, 0.75, 1.0  # colour of NaN, of infinity, and of what stands for it
LOOPS = ast.For | ast.While
WRITTEN_OUT = int | float | str | list | tuple | dict | set | range | None
MARKED = "◀ marks the line at which to look first."
NOT_MARKED = "`check` says what is wrong. At which line is not sure, so none is marked."
PASSED = "`check` finds nothing wrong, so no line is marked."
CUT = "It was stopped, because it takes too long. Is there a loop that never ends?"


def walk_through(record: Record, definition: Any, verdict: Verdict) -> Note:
    """Return a note on what each line of an answer sets, in a case in which it goes wrong.

    An answer that is right everywhere is run in the first case, which is the plainest.

    Args:
        record: the task, its cases and the expected values.
        definition: the answer.
        verdict: the verdict of `check`.
    """
    task, kind = record.task, kind_of(record.task)
    pointer, case = _place(record, verdict, kind.rerun(definition))
    walk, before = Walk(task.outputs, own_functions(definition), pointer), sys.gettrace()
    try:
        has_ended = kind.rerun(definition).watch(walk, case)
    finally:  # a time limit may strike as the context is left
        sys.settrace(before)
    heading, rows = f"{task.title}: line by line", walk.rows
    if verdict.reason == Reason.NOTHING and not any(row.values for row in rows[1:]):
        return Note(heading, [verdict.message])
    lines = [f"Run in this case: {case.label}."]
    if verdict.reason in (Reason.NOTHING, Reason.TIME) or not rows:
        lines.append(verdict.message)
    elif not has_ended:
        lines.append(CUT)
    elif walk.pointer:  # at a line of which no row is shown
        lines.append(walk.pointer)
    elif not walk.error:
        lines.append(PASSED if verdict.passed else MARKED if pointer else NOT_MARKED)
    items = "".join(map(_item, rows))
    page = f'<ol style="list-style:none;margin:0;padding:0">{items}</ol>'
    table = [("line", "code", "sets"), *map(_in_text, rows)]
    return Note(heading, lines, picture=page, table=table)


def _place(record: Record, verdict: Verdict, rerun: Rerun) -> tuple[Pointer | str, Case]:
    """Return the sentence that points at a line, "" if no line is sure, and the case to be run."""
    if isinstance(verdict.relation, Pointer):
        return verdict.relation, verdict.relation.case
    if verdict.passed or verdict.reason == Reason.TIME:
        return "", record.cases[0]
    outputs = [*itertools.takewhile(bool, rerun(record.cases))]  # up to an exception
    if verdict.reason in COMPARED:
        pointer = describe_lines(record, record.trials([*map(Answer, outputs)]), rerun.trace)
        return pointer, pointer.case if pointer else verdict.evidence.case
    return "", [*record.cases, record.cases[0]][len(outputs)]


# --- The run --------------------------------------------------------------------------------------


class Statement(NamedTuple):
    """A statement of a learner's code, and the loops around it, from the outermost on.

    Of a compound statement, `lines` and `text` are those of its head.
    """

    node: ast.stmt
    lines: range
    text: str
    loops: tuple[ast.stmt, ...]


@dataclass(eq=False)
class Row:
    """One run of a statement, or how many rounds or calls are left out.

    Args:
        depth: number of the learner's functions that are at work around it.
        text: the statement, or what is left out.
        number: number of its first line.
        values: what it sets or returns: a name, the value in words, and a picture (HTML) or "".
        note: the exception that it raises, or why it is marked.
        left_out: number of rounds or calls that are left out here.
    """

    depth: int
    text: str
    number: int | str = ""
    values: list[tuple[str, str, str]] = field(default_factory=list)
    note: str = ""
    left_out: int = 0

    def __str__(self) -> str:
        one, *of_what = self.text.split(maxsplit=1)
        things = " ".join([f"{one}s" if self.left_out > 1 else one, *of_what])
        return f"… and {self.left_out} more {things}" if self.left_out else self.text


class Walk:
    """A context in which each run of a line of a learner's code is noted, with what it sets.

    Args:
        outputs: names of what the answer returns.
        functions: the functions of the answer. All others that are defined in cells count, too.
        pointer: sentence that points at a line, which is put beside it; "" if there is none.
    """

    def __init__(self, outputs: Sequence[str], functions: Sequence, pointer: Pointer | str):
        self.rows: list[Row] = []
        self.outputs, self.pointer = outputs, pointer
        self.error: BaseException | None = None  # that is on its way out
        self._codes = {function.__code__ for function in functions}
        self.files = {code.co_filename for code in self._codes}
        self._statements: dict[str, Mapping[int, Statement]] = {}
        self._calls: dict[FrameType | None, _Call] = {}  # those that are followed
        self._bytes = 0

    def __enter__(self) -> None:
        self._base = sys._getframe(1)
        sys.settrace(self._enter)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def add(self, row: Row) -> Row | None:
        """Add a row, and return it, if there is room for it."""
        if len(self.rows) < MOST_ROWS:
            self.rows.append(row)
            return row
        self.rows[MOST_ROWS:] = [Row(0, "… and so on: no further line is shown.")]
        return None

    def shown(self, name: str, value: Any) -> tuple[str, str, str]:
        """Return what a row shows of a value, whatever it is."""
        try:
            picture = _picture(name, value) if isinstance(value, Tensor) else ""
            self._bytes += len(picture)
            return name, _words(value), picture if self._bytes < MOST_BYTES else ""
        except Exception:  # a learner's object can behave in any way
            return name, with_article(value), ""

    def _enter(self, frame: FrameType, _event: str, _value: Any) -> "_Call | None":
        """Follow a call of a learner's function, unless it is one of too many."""
        code, around = frame.f_code, frame.f_back
        if not self._is_own(code):
            return None
        while around and around is not self._base and not self._is_own(around.f_code):
            around = around.f_back
        caller = self._calls.get(around)
        if around is not self._base and not (caller and caller.follows(code.co_name)):
            return None
        depth = caller.depth + 1 if caller else 0
        call = _Call(self, frame, self._statements_of(code.co_filename), depth)
        return self._calls.setdefault(frame, call)

    def _is_own(self, code: CodeType) -> bool:
        """Decide whether code is a learner's function, and no comprehension in it."""
        is_function = code in self._codes or not code.co_name.startswith("<")
        return is_function and code.co_firstlineno in self._statements_of(code.co_filename)

    def _statements_of(self, file: str) -> Mapping[int, Statement]:
        """Return the statements of a learner's code by their lines; none of other code."""
        if file not in self._statements:
            lines = linecache.getlines(file)
            is_own = file in self.files or (lines and not is_file(file))
            found = _statements(syntax("".join(lines)), lines) if is_own else ()
            # Of two in one line, the first and outer one counts.
            self._statements[file] = {n: each for each in [*found][::-1] for n in each.lines}
        return self._statements[file]


class _Call:
    """One call of a learner's function: what Python calls in turn at each of its lines."""

    def __init__(self, walk: Walk, frame: FrameType, statements: Mapping, depth: int):
        self.depth, self._walk, self._statements = depth, walk, statements
        code = frame.f_code
        self._counts: Counter[Hashable] = Counter()  # loop → its rounds; row, function → its calls
        self._rests: dict[Hashable, Row | None] = {}  # the same → the row that counts the rest
        self._statement: Statement = statements[code.co_firstlineno]
        self._row = self._add(frame, self._statement)
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self._set(frame, [name for name in names if name != "self"])

    def __call__(self, frame: FrameType, event: str, value: Any) -> "_Call":
        if event == "line":
            self._walk.error = None  # if there was one, it has been caught
            new = self._statements.get(frame.f_lineno)
            if new and new is not self._statement:
                self._set(frame, _targets(self._statement.node))
                self._begin(frame, new)
        elif event == "return" and not self._walk.error:
            self._set(frame, _targets(self._statement.node))
            self._return(value)
        elif event == "exception" and not isinstance(value[1], StopIteration | GeneratorExit):
            self._raise(frame, value[1])
        return self

    def follows(self, function: str) -> bool:
        """Decide whether a call that the current line makes is shown, and count it."""
        if not self._row:
            return False
        return self._is_one_of_few((self._row, function), ROUNDS, f"call of `{function}`")

    def _is_one_of_few(self, key: Hashable, few: int, what: str) -> bool:
        self._counts[key] += 1
        if self._counts[key] <= few:
            return True
        if key not in self._rests:
            self._rests[key] = self._walk.add(Row(self.depth + 1, what))
        if rest := self._rests[key]:
            rest.left_out += 1
        return False

    def _add(self, frame: FrameType, statement: Statement) -> Row | None:
        row, pointer = Row(self.depth, statement.text, statement.node.lineno), self._walk.pointer
        is_own = frame.f_code.co_filename in self._walk.files
        if pointer and is_own and pointer.line in statement.lines:
            row.note, self._walk.pointer = f"◀ {pointer}", ""  # at its first run only
        return self._walk.add(row)

    def _begin(self, frame: FrameType, new: Statement) -> None:
        """Begin to run another statement, perhaps with a row for it, and for a round of a loop."""
        old, self._statement = self._statement, new
        if isinstance(new.node, LOOPS) and new.node in old.loops:
            self._row = None  # a round is over, and a further one has not begun yet
            return
        self._counts[new.node] = 0
        self._rests.pop(new.node, None)
        *outer, inner = new.loops or [None]
        if inner and new.node is inner.body[0] and self._are_shown(outer):
            is_shown = self._is_one_of_few(inner, _few(len(outer)), "round")
            if is_shown and self._counts[inner] > 1:
                self._row = self._add(frame, self._statements[inner.lineno])
                self._set(frame, _targets(inner))
        self._row = self._add(frame, new) if self._are_shown(new.loops) else None

    def _are_shown(self, loops: Sequence[ast.stmt]) -> bool:
        return all(self._counts[loop] <= _few(depth) for depth, loop in enumerate(loops))

    def _set(self, frame: FrameType, names: Sequence[str]) -> None:
        """Show what has been set in the current row."""
        for name in dict.fromkeys(names if self._row else ()):
            with contextlib.suppress(Exception):  # deleted, or never set
                value = eval(name, frame.f_globals, frame.f_locals)
                if not (value is ... or callable(value) or isinstance(value, ModuleType)):
                    self._row.values.append(self._walk.shown(name, value))

    def _return(self, value: Any) -> None:
        names = self._walk.outputs
        is_whole = isinstance(value, tuple | list) and not self.depth and len(value) == len(names)
        pairs = zip(names, value, strict=True) if is_whole else [("returned", value)]
        written = [(name, each) for name, each in pairs if each is not None and each is not ...]
        if self._row:
            self._row.values += [self._walk.shown(*each) for each in written]

    def _raise(self, frame: FrameType, error: BaseException) -> None:
        if self._walk.error is error:  # on its way out from a function that this line has called
            return
        self._walk.error = error
        self._row = self._row or self._add(frame, self._statement)
        if self._row and not isinstance(error, OutOfTime):
            self._row.note = f"{in_a_line(error)} {self._row.note}"


def _few(depth: int) -> int:
    """Return how many rounds are shown of a loop within so many others."""
    return 1 if depth else ROUNDS


def _statements(
    node: ast.AST, lines: Sequence[str], loops: tuple[ast.stmt, ...] = ()
) -> Iterator[Statement]:
    """Yield the statements in a node, however deep, from the first to the last."""
    for child in (child for block in BLOCKS for child in getattr(node, block, [])):
        around = (*loops, child) if isinstance(child, LOOPS) else loops
        if isinstance(child, ast.stmt):
            last = child.end_lineno
            if getattr(child, "body", []) and child.body[0].lineno > child.lineno:
                last = child.body[0].lineno - 1
            first = min(each.lineno for each in [child, *getattr(child, "decorator_list", [])])
            code = [line for line in lines[child.lineno - 1 : last] if line.strip()[:1] != "#"]
            text = "".join(code).rstrip()[:LONGEST_STATEMENT]
            yield Statement(child, range(first, last + 1), text, loops)
        yield from _statements(child, lines, around)


def _targets(node: ast.stmt) -> list[str]:
    """Return the names, or attributes, that a statement sets or changes in place."""
    match node:
        case ast.Assign():
            found = node.targets
        case ast.AugAssign() | ast.AnnAssign() | ast.For():
            found = [node.target]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner))):  # `rows.append(…)`
            found = [owner]
        case _:
            found = []
    names = [name for target in found for name in _bases(target)]
    in_line = [each for each in getattr(node, "body", []) if each.lineno == node.lineno]
    return names + [name for each in in_line for name in _targets(each)]


def _bases(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Tuple() | ast.List():
            for part in target.elts:
                yield from _bases(part)
        case ast.Starred() | ast.Subscript():
            yield from _bases(target.value)
        case ast.Name() | ast.Attribute():
            yield ast.unparse(target)


# --- What is shown --------------------------------------------------------------------------------


def _item(row: Row) -> str:
    """Return a row as an item of a list, as HTML."""
    number = f'<span style="opacity:.7">{row.number}</span> ' if row.number else ""
    code = 'style="white-space:pre-wrap;background:none;color:inherit;padding:0"'
    text = f"<code {code}>{html.escape(row.text)}</code>" if row.number else str(row)
    values = "".join(
        f"<div>{to_html(f'`{name}`')} {html.escape(words)}{picture}</div>"
        for name, words, picture in row.values
    )
    flex = "display:flex;flex-wrap:wrap;gap:2px 20px;overflow-x:auto;font-size:.9em"
    values = f'<div style="{flex}">{values}</div>' if values else ""
    bar = f"border-left:4px solid {BAD};padding-left:8px;margin-top:4px"
    note = f'<div style="{bar}">{to_html(row.note)}</div>' if row.note else ""
    return f'<li style="margin:0 0 8px {2 * row.depth}em">{number}{text}{values}{note}</li>'


def _in_text(row: Row) -> tuple[str, str, str]:
    sets = ", ".join(f"{name} {words}" for name, words, _ in row.values)
    return str(row.number), "  " * row.depth + str(row), f"{sets} {row.note}".strip()


def _words(value: Any) -> str:
    if isinstance(value, Tensor):
        kind = "" if value.is_floating_point() else f" {value.dtype}".replace("torch.", "")
        return f"{tuple(value.shape)}{kind}" if value.dim() else f"{value.item():.4g}"
    if isinstance(value, list | tuple) and any(isinstance(each, Tensor) for each in value):
        some = [*map(_words, value[:ROUNDS]), *["…"] * (len(value) > ROUNDS)]
        return f"{with_article(value)} of {len(value)}: {', '.join(some)}"
    is_written = isinstance(value, WRITTEN_OUT)
    return " ".join(reprlib.repr(value).split()) if is_written else with_article(value)


def _picture(name: str, value: Tensor) -> str:
    """Return a table of a tensor's first matrix, or a map of a larger one; "" of the largest."""
    if not value.dim() or not value.numel() or value.is_complex():
        return ""
    first = (0,) * (value.dim() - 2)
    numbers = np.atleast_2d(value.detach()[first].double().numpy())  # (rows, columns)
    if max(numbers.shape) > LARGEST_MAP:
        return ""
    plain = np.isfinite(numbers) & (np.abs(numbers) < HUGE)
    low, high = (numbers[plain].min(), numbers[plain].max()) if plain.any() else (0.0, 0.0)
    shares = (np.where(plain, numbers, low) - low) / (high - low or 1.0)
    colours = mpl.colormaps[WEIGHT_COLOURS](shares)  # (rows, columns, 4)
    colours[~plain] = NO_NUMBER
    label = name + (f"[{', '.join(map(str, first))}]" if first else "")
    if max(numbers.shape) <= MOST_NUMBERS:
        caption = f'<caption style="text-align:left;padding:0">{html.escape(label)}</caption>'
        caption = caption if first else ""  # the name stands above
        rows = ("".join(map(number_cell, *row)) for row in zip(numbers, colours, strict=True))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        style = 'style="margin:0;font-size:inherit;border-spacing:1px"'
        return f"<table {style}>{caption}{body}</table>"
    rows, columns = numbers.shape
    picture = Image.fromarray((255 * colours).astype("uint8"))
    picture = picture.resize((columns * PIXELS, rows * PIXELS), Image.Resampling.NEAREST)
    picture.save(file := io.BytesIO(), "png", optimize=True)
    source = base64.b64encode(file.getvalue()).decode()
    alt = f"{label}: {rows} rows, {columns} columns, from {low:.3g} to {high:.3g}"
    alt = html.escape(alt, quote=True)
    return f'<img alt="{alt}" style="display:block" src="data:image/png;base64,{source}">'
