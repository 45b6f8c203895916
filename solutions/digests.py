"""Compute digests of the code that decides whether a task passes its self-test.

This code is the task's file, its cell of the solution notebook and the self-test itself, with all
code of the course that they use by name, directly or indirectly. Comments, docstrings and the order
of definitions do not count. Neither do data files and the versions of Python and libraries:
`python -m solutions.selftest --all` runs every task regardless.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from solutions.build import code_of, file_of, module_of
from solutions.facts import ROOT
from solutions.specification import Exercise
from utils.checks.code import defined

ENGINE = ("solutions.selftest", "problems_of")
NO_CODE = "solutions.misconceptions"  # only texts; an unknown misconception is refused on import
Place = tuple[str | Path, str]  # a module or notebook, and a name in it ("" for all names)


class Piece(NamedTuple):
    """A top-level statement of a module, or a cell of a notebook.

    Args:
        names: names that it defines.
        mentions: names that it uses.
        imports: name that it imports → the place that the name comes from.
        decorators: names of its decorators.
        code: digest of its syntax tree.
    """

    names: set[str]
    mentions: set[str]
    imports: dict[str, Place]
    decorators: set[str]
    code: str


def digest(notebook: Path, exercise: Exercise) -> str:
    """Return the digest of the code that decides whether an exercise passes its self-test."""
    task = exercise.task.id
    reached, codes = _engine()
    own = [(module_of(file_of(notebook, task)), "exercise"), (notebook, task)]
    codes = codes | _rests_on(own, reached)[1]
    return hashlib.sha256("\n".join(sorted(codes)).encode()).hexdigest()[:16]


@cache
def _engine() -> tuple[set[Place], set[str]]:
    return _rests_on([ENGINE], set())


def _rests_on(starts: list[Place], left_out: set[Place]) -> tuple[set[Place], set[str]]:
    """Find all names that `starts` depend on, directly or indirectly, and digests of their code.

    The names in `left_out` are among the names returned, but are not followed."""
    waiting, reached, codes = [*starts], {*left_out}, set()
    while waiting:
        source, name = place = waiting.pop()
        if place in reached:
            continue
        reached.add(place)
        for piece in _pieces(source):
            if name in ("", *piece.names) or not piece.names:
                codes.add(piece.code)
                waiting += [(source, mention) for mention in piece.mentions]
            if name in ("", *piece.imports):
                waiting += [piece.imports[name]] if name else piece.imports.values()
    return reached, codes


@cache
def _pieces(source: str | Path) -> list[Piece]:
    """Split a module or a notebook into pieces; a module from outside the course has none.

    A statement that defines no name, or that a decorator of its own module registers, gets no
    names: it counts as soon as any name of its module does. A cell that defines no name is left
    out.
    """
    if isinstance(source, Path):
        pieces = [_piece(cell, ast.parse(cell).body) for cell in code_of(source)]
        return [piece for piece in pieces if piece.names]
    file = _file(source)
    if source == NO_CODE or not file:
        return []
    text = file.read_text(encoding="utf-8")
    lines, statements = text.splitlines(), ast.parse(text).body
    pieces = []
    for statement in statements:
        own_text = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
        if not (_is_text(statement) or own_text.startswith("if __name__ ==")):
            pieces.append(_piece(own_text, [statement]))
    functions = {name for piece in pieces for name in piece.names - piece.imports.keys()}
    for piece in pieces:
        if functions & piece.decorators:
            piece.names.clear()
    return pieces


def _piece(text: str, statements: list[ast.stmt]) -> Piece:
    nodes = [node for statement in statements for node in ast.walk(statement)]
    imports: dict[str, Place] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            imports |= {alias.asname or alias.name: (alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                place = (module, "") if _file(module) else (node.module, alias.name)
                imports[alias.asname or alias.name] = place
    names = defined(text)
    if any(isinstance(statement, ast.Import | ast.ImportFrom) for statement in statements):
        names |= imports.keys()
    mentions = {node.id for node in nodes if isinstance(node, ast.Name)}
    decorators = {getattr(node, "id", "") for node in getattr(statements[0], "decorator_list", [])}
    code = hashlib.sha256(_text(statements).encode()).hexdigest()
    return Piece(names, mentions, imports, decorators, code)


@cache
def _file(module: str) -> Path | None:
    """Return the file of a module of the course, or None for a module from outside the course."""
    path = ROOT.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.exists()), None)


def _text(value: Any) -> str:
    """Return a syntax tree as text, the same in every version of Python, without docstrings."""
    if isinstance(value, list):
        return "".join(map(_text, value))
    if not isinstance(value, ast.AST):
        return repr(value)
    fields = dict(ast.iter_fields(value))
    if isinstance(value, ast.FunctionDef | ast.ClassDef) and _is_text(value.body[0]):
        fields["body"] = value.body[1:]
    parts = (f"{name}={_text(part)}" for name, part in fields.items() if part not in (None, []))
    return f"{type(value).__name__}({','.join(parts)})"


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring."""
    value = getattr(statement, "value", None)
    is_constant = isinstance(statement, ast.Expr) and isinstance(value, ast.Constant)
    return is_constant and isinstance(value.value, str)
