"""What one class has named, for all classes to come: an entry in `solutions/`.

The entry has the shortest code of those who gave the answer, and the words of names.toml. Its test
comes with it: the self-test tries every entry under its name, on known inputs and on fresh ones.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent, wrap

from grading.intake.submissions import CannotGrade
from grading.report.store import Store, write
from grading.report.unrecognised import Names
from solutions import build
from utils.checks.code import defined, mentioned, syntax
from utils.checks.tasks import Mistake

WIDTH = 80  # of a line of text
FUNCTION = '''

def {name}():
    """The shortest of the answers that learners of a class gave."""
{inside}

'''
ENTRY = """\
        WrongAnswer(
            {name},
            {builder}(),
{texts}
            misconception={kind},
        ),
"""


def enter(out: Path, entry: str) -> Path:
    """Write a mistake that a class has named into the file of its exercise.

    Args:
        out: the folder of the grades.
        entry: its number in names.toml, "entropy.1".

    Returns:
        The file. The code in it is a learner's, as it was handed in: read it before it runs.

    Raises:
        CannotGrade: it has no name yet, nobody was told of it, or the file has no place for it.
    """
    mistake, task = Names(out).of(entry), entry.partition(".")[0]
    codes = [
        result.code[task]
        for result in Store(out).all()
        if task in result.tasks and result.tasks[task].mistake == mistake.name
    ]
    if not codes:
        raise CannotGrade(f"Nobody has been told of {mistake.name!r} yet: first run regrade.")
    files = {build.folder_of(notebook) / f"{task}.py": notebook for notebook in build.notebooks()}
    path, notebook = next(pair for pair in files.items() if pair[0].exists())
    code = _with_imports(min(codes, key=lambda code: (len(code), code)), notebook)
    text = path.read_text(encoding="utf-8")
    write(path, _with_entry(text, mistake, f"{code.rstrip()}\n\nreturn {task}", path.name))
    return path


def _with_entry(text: str, mistake: Mistake, body: str, name: str) -> str:
    """The text of an exercise's file with one mistake more, the last of its list.

    Args:
        text: of the file.
        mistake: in words.
        body: of a function that returns the wrong answer.
        name: of the file.
    """
    lines = text.splitlines(keepends=True)
    assigned = next(
        node for node in ast.parse(text).body if "exercise" in defined(ast.unparse(node))
    )
    given = {word.arg: word.value for word in assigned.value.keywords}["misconceptions"]
    if not isinstance(given, ast.List):
        raise CannotGrade(f"{name} makes its misconceptions itself: add {mistake.name!r} by hand.")
    builder = f"answer_of_a_class_{len(given.elts) + 1}"
    texts = [_quoted(mistake.explanation), _quoted(mistake.hint)]
    entry = ENTRY.format(
        name=_quoted(mistake.name),
        builder=builder,
        texts=indent("".join(f"{one},\n" for one in texts), " " * 12).rstrip("\n"),
        kind=_quoted(mistake.misconception),
    )
    above = assigned.lineno - 1
    while lines[above - 1].startswith(("#", "\n")):  # the headline of the exercise
        above -= 1
    last = given.end_lineno - 1  # of the closing bracket
    function = FUNCTION.format(name=builder, inside=indent(body, "    ")).rstrip("\n") + "\n"
    return "".join([*lines[:above], function, *lines[above:last], entry, *lines[last:]])


def _with_imports(code: str, notebook: Path) -> str:
    """An answer below what it uses of the imports that stand in the notebook."""
    found = dict.fromkeys(_imports(notebook, mentioned(code) - defined(code)))
    return "\n".join(found) + "\n\n" + code if found else code


def _imports(notebook: Path, used: set[str]) -> Iterator[str]:
    for source in build.code_of(notebook):
        for node in syntax(source).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) in used:
                        module = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                        yield f"{module}import {ast.unparse(alias)}"


def _quoted(text: str) -> str:
    """A text as a literal, on several lines where it is long."""
    parts = wrap(" ".join(text.split()), WIDTH, drop_whitespace=False) or [""]
    return "\n".join(json.dumps(part, ensure_ascii=False) for part in parts)
