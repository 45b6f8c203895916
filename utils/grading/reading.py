"""A notebook as data: which exercises it answers, with which code, and what it says in words.

Nothing is run here. Cells are known by the names that they define, never by id, order or metadata.
"""

import ast
import json
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import nbformat

from utils.checks import bank
from utils.grading.submissions import Unreadable

ANSWER = re.compile(r"\*\*Your answer\*\* · `(?P<question>\w+)`\s*(?P<text>.*)", re.DOTALL)
NOT_ANSWERED = "*Write your answer here.*"
LINE_MAGIC = re.compile(r"^(?P<indent>[ \t]*)(?P<magic>[%!?].*|.*\S\?{1,2})$")
LEADING_CODE = re.compile(r"%(?:time|timeit|prun)\b(?:\s+-\w+(?:\s+\d+)?)*\s+(?P<code>\S.*)")
CELL_MAGICS_WITH_CODE = ("time", "timeit", "capture", "prun")
LONGEST = 1_000_000  # letters of code, far more than anybody writes

logging.getLogger("nbformat").setLevel(logging.CRITICAL)  # what is wrong, we say ourselves


@dataclass(frozen=True)
class Cell:
    """A code cell, as Python.

    Args:
        number: its place among the notebook's cells, from 1.
        source: without magics.
    """

    number: int
    source: str


@dataclass(frozen=True)
class Notebook:
    """What a submission holds.

    Args:
        name: which of the course's notebooks it answers.
        cells: its code, in order.
        words: question → answer in words, "" where there is none.
        remarks: what was left out, and why.
    """

    name: str
    cells: Sequence[Cell]
    words: dict[str, str]
    remarks: Sequence[str]


def read(data: bytes, file: str = "") -> Notebook:
    """Read a notebook as it was handed in.

    Args:
        data: the bytes of the file.
        file: its name, which decides where the content fits two of the course's notebooks.

    Raises:
        Unreadable: it holds nothing that could be graded.
    """
    content = _content(data)
    cells, words, remarks = [], {}, []
    for number, cell in enumerate(content.get("cells", []), start=1):
        source = cell.get("source", "").replace("\r\n", "\n").replace("\r", "\n")
        if cell.get("cell_type") == "code":
            code, left_out = python(source)
            remarks += [f"cell {number}: {one}" for one in left_out]
            cells.append(Cell(number, code))
        elif match := ANSWER.match(source.strip()):
            text = match["text"].replace(NOT_ANSWERED, "").strip()
            words[match["question"]] = text or words.get(match["question"], "")
    if not any(cell.source.strip() for cell in cells):
        raise Unreadable("no code in it")
    if sum(len(cell.source) for cell in cells) > LONGEST:
        raise Unreadable("more code than anybody can write")
    name = _which(cells, file)
    return Notebook(name, _without_leftover_stubs(cells, name), words, remarks)


def _content(data: bytes) -> dict:
    if not data.strip(b"\0 \t\r\n"):
        raise Unreadable("an empty file")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("no notebook, or a damaged one: it is not JSON") from None
    if not (isinstance(raw, dict) and ("cells" in raw or "worksheets" in raw)):
        raise Unreadable("no notebook: JSON of another kind")
    try:
        return nbformat.reads(text, as_version=4)
    except Exception as error:  # nbformat lets through whatever its converters stumble over
        raise Unreadable(f"a damaged notebook: {type(error).__name__}") from None


def python(source: str) -> tuple[str, list[str]]:
    """A cell's code without what only IPython understands, and what that was."""
    first = source.lstrip().partition("\n")[0]
    if first.startswith("%%"):
        name = first[2:].split()[0] if first[2:].split() else ""
        if name not in CELL_MAGICS_WITH_CODE:
            return "", [f"left out, for it is no Python: {first}"]
        source = source.replace(first, "", 1)
    try:
        ast.parse(source)
        return source, []  # a line may begin with % and be Python: a string over several lines
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    lines, left_out = [], []
    for line in source.split("\n"):
        code = line
        if match := LINE_MAGIC.match(line):
            timed = LEADING_CODE.match(match["magic"])
            code = match["indent"] + (timed["code"] if timed else "pass")
            left_out.append(f"left out: {match['magic'].strip()}")
        elif match := re.match(r"^(\s*\w[\w, ]*=\s*)[%!].*", line):
            code = f"{match[1]}None"
            left_out.append(f"left out: {line.strip()}")
        lines.append(code)
    return "\n".join(lines), left_out


@lru_cache(maxsize=1000)
def _parsed(source: str) -> ast.Module:
    """The syntax of a piece of code; what is no Python has none."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def defined(source: str) -> set[str]:
    """The names of the functions, classes and variables that a piece of code defines."""
    return set(_defined(_parsed(source).body))


def mentioned(source: str) -> set[str]:
    """The names and attributes that a piece of code uses."""
    nodes = list(ast.walk(_parsed(source)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _defined(statements: Sequence[ast.stmt]) -> Iterator[str]:
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        for target in targets:
            if target is not None:
                yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))
        for block in ("body", "orelse", "finalbody"):  # of an if, a for, a with, a try
            yield from _defined(getattr(node, block, []))


@cache
def stubs(name: str) -> dict[str, str]:
    """Task → the cell that learners find in one of the course's notebooks."""
    notebook = nbformat.read(bank.FOLDER / f"{name}.ipynb", as_version=4)
    tasks = {task.id for task in bank.tasks()[name]}
    return {
        task: cell.source
        for cell in notebook.cells
        if cell.cell_type == "code"
        for task in defined(cell.source) & tasks
    }


def _which(cells: Sequence[Cell], file: str) -> str:
    """The notebook of the course that has the most tasks which are defined here."""
    names = set().union(*(defined(cell.source) for cell in cells))
    found = {
        name: (len(names & {task.id for task in tasks}), name in file)
        for name, tasks in bank.tasks().items()
    }
    name = max(found, key=found.get)
    if found[name][0] == 0:
        raise Unreadable("another assignment: it defines nothing that the exercises ask for")
    return name


def _without_leftover_stubs(cells: Sequence[Cell], name: str) -> list[Cell]:
    """Leave out an untouched cell of the course where another cell answers the same task.

    People copy a cell, answer in the copy, and leave the other below it.
    """
    shapes = {_shape(stub): task for task, stub in stubs(name).items()}
    answered = {
        task for cell in cells if _shape(cell.source) not in shapes for task in defined(cell.source)
    }
    return [cell for cell in cells if shapes.get(_shape(cell.source)) not in answered]


def _shape(source: str) -> str:
    """The same for two pieces of code that differ in layout and comments only."""
    return ast.dump(_parsed(source)) if _parsed(source).body else source.strip()
