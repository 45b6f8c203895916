"""Read a notebook as data: the exercises that it answers, its code, and its answers in words.

A test before or after the course is known by the items that it answers; of it only these answers
are read.

Nothing is run here. Cells are known by the names that they define, never by id, order or metadata.

IPython's own transformers remove pasted prompts and the indent of a whole cell. IPython would also
turn magics into calls. But a grader wants only the code of `%time code` and nothing of `!ls`, and
IPython would take seven minutes for a cell with 50,000 lines `!ls`. So this module removes magics
itself, in 0.3 seconds.
"""

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import classic_prompt, ipython_prompt, leading_indent

from utils.checks import bank
from utils.checks.code import defined, syntax
from utils.items.item_bank import FORMS, form
from utils.unreadable import Unreadable

GIVEN = "given.json"  # beside the exercise notebooks: their cells, as learners find them
ANSWER = re.compile(
    r"\*\*Your answer\*\* · `(?P<question>\w+)`(?: · up to \d+ points?)?\s*(?P<text>.*)", re.DOTALL
)
NOT_ANSWERED = "*Write your answer here.*"
LINE_MAGIC = re.compile(
    r"(?P<before>[ \t]*|\s*\w[\w, ]*=\s*)(?P<magic>[%!?].*)|(?P<indent>[ \t]*)[%\w.*]+\?{1,2}\s*"
)
LEADING_CODE = re.compile(r"%(?:time|timeit|prun)\b(?:\s+-\w+(?:\s+\d+)?)*\s+(?P<code>\S.*)")
CELL_MAGICS_WITH_CODE = ("time", "timeit", "capture", "prun")
MOST_MAGICS = 50  # the most that are removed from a cell
LONGEST = 200_000  # letters of code, far more than anybody writes
LONGEST_ANSWER = 20_000  # letters of an answer in words
LONGEST_CHOICE = 40  # letters of an answer to an item of a test
SHORTEST_ANSWER = 20  # letters of a cell that may be an answer in words, in the wrong place
MOST_ELSEWHERE = 10  # the most such cells


@dataclass(frozen=True)
class Cell:
    """A code cell, reduced to the Python in it."""

    number: int  # its place among the notebook's cells, from 1
    source: str  # without magics


@dataclass(frozen=True)
class Notebook:
    """The content of a submission."""

    name: str  # which of the course's notebooks it answers
    cells: Sequence[Cell]  # its code, in order
    # question → answer in words, "" if there is none
    words: dict[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()  # code that was left out, and why
    code: dict[str, str] = field(default_factory=dict)  # task → the last cell that defines it
    # prose outside the places for answers, with the number of its cell
    elsewhere: Sequence[str] = ()
    untouched: Sequence[str] = ()  # tasks whose cell is the one that learners are given
    form: str = ""  # "A" or "B" if it is a test before or after the course
    # item of the test → answer as it stands there, "" if there is none
    answers: dict[str, str] = field(default_factory=dict)


def read(data: bytes, file: str = "") -> Notebook:
    """Read a notebook that was handed in.

    Args:
        data: bytes of the file.
        file: name of the file, which decides if the code fits two of the course's notebooks.

    Raises:
        Unreadable: the file holds nothing that could be graded.
    """
    content = list(_cells(_content(data)))
    if sum(len(source) for cell_type, source in content if cell_type == "code") > LONGEST:
        raise Unreadable("more code than anybody can write")
    cells, words, remarks = [], {}, []
    for number, (cell_type, source) in enumerate(content, start=1):
        source = source.replace("\r\n", "\n").replace("\r", "\n")
        if cell_type == "code":
            code, left_out = python(source)
            remarks += [f"cell {number}: {remark}" for remark in left_out]
            if code.strip():
                cells.append(Cell(number, code))
        elif match := ANSWER.match(source.strip()):
            text = match["text"].replace(NOT_ANSWERED, "").strip()[:LONGEST_ANSWER]
            words[match["question"]] = text or words.get(match["question"], "")
    if not cells:
        raise Unreadable("no code in it")
    answers = item_answers(cells)
    name = _notebook_of(cells, file, answers)
    for letter, test in FORMS.items():
        if name == test:
            own = {item: given for item, given in answers.items() if item in items_of(letter)}
            return Notebook(name, [], remarks=remarks, form=letter, answers=own)
    words = {question: words.get(question, "") for question in questions(name)}
    elsewhere = list(islice(_elsewhere(content, name, words), MOST_ELSEWHERE))
    cells = _without_leftover_stubs(cells, name)
    code = {task: cell.source for cell in cells for task in defined(cell.source) & {*tasks()[name]}}
    shapes = stub_shapes(name)
    untouched = [task for task, source in code.items() if _shape(source) == shapes.get(task)]
    return Notebook(name, cells, words, remarks, code, elsewhere, untouched)


def _content(data: bytes) -> dict:
    if not data.strip(b"\0 \t\r\n"):
        raise Unreadable("an empty file")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("no notebook, or a damaged one: it is not JSON") from None
    if not (isinstance(content, dict) and ("cells" in content or "worksheets" in content)):
        raise Unreadable("no notebook: JSON of another kind")
    return content


def _cells(content: dict) -> Iterator[tuple[Any, str]]:
    """Yield type and text of each cell, in any version of the format; None and "" if malformed.

    The notebook is not validated, because one that Jupyter would refuse may hold right answers.
    """
    cells = _listed(content.get("cells"))
    for sheet in _listed(content.get("worksheets")):  # before version 4
        cells += _listed(sheet.get("cells")) if isinstance(sheet, dict) else []
    for cell in cells:
        cell = cell if isinstance(cell, dict) else {}
        source = cell.get("source", cell.get("input", ""))
        lines = [source] if isinstance(source, str) else _listed(source)
        yield cell.get("cell_type"), "".join(line for line in lines if isinstance(line, str))


def _listed(value: Any) -> list:
    return value if isinstance(value, list) else []


def python(source: str) -> tuple[str, list[str]]:
    """Return a cell's code without IPython-only syntax, and remarks on the parts left out.

    Only lines that Python cannot parse are examined: a line that begins with % may be Python.
    """
    pasted = source.splitlines(keepends=True)
    source = "".join(ipython_prompt(classic_prompt(leading_indent(pasted))))
    first, left_out = source.lstrip().partition("\n")[0], []
    if first.startswith("%%"):
        name = first[2:].split()[0] if first[2:].split() else ""
        if name not in CELL_MAGICS_WITH_CODE:
            return "", [f"left out, for it is no Python: {first}"]
        source = source.replace(first, "", 1)
        left_out.append(f"left out: {first}")
    lines = source.split("\n")
    for _ in range(MOST_MAGICS):
        stumbled = stumbles_at("\n".join(lines))
        match = LINE_MAGIC.fullmatch(lines[stumbled - 1]) if 0 < stumbled <= len(lines) else None
        if not match:
            break
        left_out.append(f"left out: {lines[stumbled - 1].strip()}")
        goes_on = lines[stumbled - 1].endswith("\\")
        code = LEADING_CODE.fullmatch(match["magic"] or "")
        if match["magic"] is None:  # `name?`
            lines[stumbled - 1] = f"{match['indent']}pass"
        elif code:  # `%time code`
            lines[stumbled - 1] = match["before"] + code["code"]
        else:  # `files = !ls`, or `!ls`
            lines[stumbled - 1] = match["before"] + ("None" if "=" in match["before"] else "pass")
        while goes_on and stumbled < len(lines):
            goes_on = lines[stumbled].endswith("\\")
            lines[stumbled] = ""
            stumbled += 1
    return "\n".join(lines), left_out


def stumbles_at(source: str) -> int:
    """Return the line number of the first syntax error found by Python; 0 if it finds none."""
    try:
        ast.parse(source)
    except SyntaxError as error:
        return error.lineno or 0
    except (ValueError, RecursionError, MemoryError):
        pass
    return 0


@cache
def given() -> dict[str, list[list[str]]]:
    """Return name of each exercise notebook → type and text of its cells, as learners find it.

    The notebook itself does not tell that any more once a learner has written in it.

    Raises:
        DamagedFile: the file that tells it cannot be read.
    """
    try:
        return json.loads((bank.FOLDER / GIVEN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise bank.DamagedFile(bank.FOLDER / GIVEN, "gone, or damaged") from None


def save_given(cells: Mapping[str, Sequence[tuple[str, str]]], folder: Path) -> None:
    """Write type and text of each cell of some exercise notebooks into a folder of exercises."""
    file = folder / GIVEN
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    text = json.dumps(dict(sorted({**kept, **cells}.items())), indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8", newline="\n")


def given_code(name: str) -> list[str]:
    """Return the code cells of one of the course's notebooks, as learners find it."""
    return [source for cell_type, source in given()[name] if cell_type == "code"]


@cache
def tasks() -> dict[str, list[str]]:
    """Return name of the notebook → names of its tasks."""
    return {name: [task.id for task in tasks] for name, tasks in bank.tasks().items()}


@cache
def stubs(name: str) -> dict[str, str]:
    """Return task → the cell that learners find for it in one of the course's notebooks."""
    return {
        task: source for source in given_code(name) for task in defined(source) & set(tasks()[name])
    }


@cache
def stub_shapes(name: str) -> dict[str, str]:
    """Return task → the normal form of the cell that learners find for it; see `stubs`."""
    return {task: _shape(source) for task, source in stubs(name).items()}


@cache
def questions(name: str) -> list[str]:
    """Return the names of a notebook's questions that learners answer in words."""
    return [match["question"] for _, source in given()[name] if (match := ANSWER.match(source))]


@cache
def asked(name: str) -> dict[str, str]:
    """Return question → its text, in one of the course's notebooks."""
    texts = [text for _, text in given()[name]]
    return {
        match["question"]: re.sub(r"^#.*\n+", "", above)
        for above, text in pairwise(texts)
        if (match := ANSWER.match(text))
    }


def _elsewhere(
    content: Sequence[tuple[Any, str]], name: str, words: dict[str, str]
) -> Iterator[str]:
    """Yield cells that may be a learner's answer in words, written where no answer is read.

    These are prose directly below the place for an answer, and all prose if an answer is missing.
    """
    known = [source.split() for _, source in given()[name]]
    missing, below = not all(words.values()), False
    for number, (cell_type, source) in enumerate(content, start=1):
        text, is_code = source.strip(), cell_type == "code"
        is_answer = not is_code and ANSWER.match(text)
        is_place = not is_answer and (missing or below) and (not is_code or _is_comment(text))
        if is_place and len(_own_text(text, known)) >= SHORTEST_ANSWER:
            yield f"cell {number}: {text[:LONGEST_ANSWER]}"
        below = bool(is_answer)


def _own_text(text: str, known: Collection[Sequence[str]]) -> str:
    """Return what a cell has beyond the cell of the course's that it comes from, if any.

    The class may have got its notebooks before a sentence was added to them, or taken out. What
    has less than half of a cell does not come from it.

    Args:
        known: words of each of the course's cells.
    """
    words = text.split()
    if words in known:  # most cells are; comparing takes far longer
        return ""
    own = " ".join(words)
    for given_words in known:
        length = len(" ".join(given_words))
        if length / 2 <= len(" ".join(words)) < length + SHORTEST_ANSWER:
            changes = SequenceMatcher(None, given_words, words, autojunk=False).get_opcodes()
            new = [words[first:end] for tag, _, _, first, end in changes if tag != "equal"]
            added = " ".join(word for part in new for word in part)
            if len(text) - len(added) >= length / 2:
                own = min(own, added, key=len)
    return own


def _is_comment(code: str) -> bool:
    """Return whether a piece of code consists only of comments and strings."""
    return stumbles_at(code) == 0 and all(
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for node in syntax(code).body
    )


def _notebook_of(cells: Sequence[Cell], file: str, answers: Collection[str]) -> str:
    """Return the name of the course's notebook of which these cells hold the most tasks or items.

    Args:
        answers: items of the tests that are answered.
    """
    names = set().union(*(defined(cell.source) for cell in cells), answers)
    known = tasks() | {name: items_of(letter) for letter, name in FORMS.items()}
    matches = {name: (len(names.intersection(own)), name in file) for name, own in known.items()}
    name = max(matches, key=matches.get)
    if matches[name][0] == 0:
        raise Unreadable("another assignment: it defines nothing that the exercises ask for")
    return name


@cache
def items_of(letter: str) -> list[str]:
    """Return the names of the items of a test, "A" or "B"."""
    return [item.id for item in form(letter)]


def item_answers(cells: Sequence[Cell]) -> dict[str, str]:
    """Return item of a test → the last answer to it in calls `answer("item", "c")`, or "".

    The calls are read and never run.
    """
    known = {item for letter in FORMS for item in items_of(letter)}
    answers: dict[str, str] = {}
    sources = [cell.source for cell in cells if "answer" in cell.source]
    calls = (node for source in sources for node in ast.walk(syntax(source)) if _answers(node))
    for item, *given in (call.args for call in calls):
        if item.value in known:
            text = _as_text(given[0]) if given else ""
            answers[item.value] = text or answers.get(item.value, "")
    return answers


def _answers(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "answer"
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    )


def _as_text(given: ast.expr) -> str:
    """Return an answer as text: a string, a number, or a letter without its quotes."""
    if isinstance(given, ast.Name):
        return given.id[:LONGEST_CHOICE]
    sign = "-" if isinstance(given, ast.UnaryOp) and isinstance(given.op, ast.USub) else ""
    value = getattr(given.operand if sign else given, "value", None)
    plain = isinstance(value, str | float) or (
        isinstance(value, int) and abs(value) < 10**LONGEST_CHOICE
    )
    return f"{sign}{value}".strip()[:LONGEST_CHOICE] if plain else "not readable"


def _without_leftover_stubs(cells: Sequence[Cell], name: str) -> list[Cell]:
    """Leave out an untouched stub of the course if a cell above it answers the same task.

    People copy a cell, answer in the copy, and leave the original below it.
    """
    shapes = {shape: task for task, shape in stub_shapes(name).items()}
    answered: set[str] = set()
    kept = []
    for cell in cells:
        task = shapes.get(_shape(cell.source))
        if task is None:
            answered |= defined(cell.source)
        if task is None or task not in answered:
            kept.append(cell)
    return kept


def _shape(source: str) -> str:
    """Return code in a normal form, which does not depend on its layout and comments."""
    try:
        return ast.dump(syntax(source)) if syntax(source).body else source.strip()
    except RecursionError:
        return source.strip()
