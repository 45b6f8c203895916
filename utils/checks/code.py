"""Find the names that a piece of code defines and uses, without running it."""

import ast
from functools import lru_cache

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # inside an if, a for, a with, a try


@lru_cache(maxsize=200)  # the cells of a few notebooks
def syntax(source: str) -> ast.Module:
    """Parse a piece of code; return an empty tree if it is not valid Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def defined(source: str) -> set[str]:
    """Return the names of the functions, classes and variables that a piece of code defines."""
    names: set[str] = set()
    waiting: list[ast.AST] = [*syntax(source).body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        parts = [part for target in targets if target for part in ast.walk(target)]
        names |= {
            part.id
            for part in parts
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        for block in BLOCKS:
            waiting += getattr(node, block, [])
    return names


def mentioned(source: str) -> set[str]:
    """Return the names and attributes that a piece of code uses."""
    nodes = list(ast.walk(syntax(source)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def definitions(source: str) -> list[ast.FunctionDef | ast.ClassDef]:
    """Return the functions and classes that a piece of code defines."""
    return [
        node for node in syntax(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]


def own(definition: ast.AST) -> set[str]:
    """Return the names that a definition sets: its arguments, and its variables."""
    arguments = {node.arg for node in ast.walk(definition) if isinstance(node, ast.arg)}
    return arguments | {node.id for node in _names(definition, ast.Store)}


def unread(definition: ast.AST) -> dict[str, int]:
    """Return the variables that a definition sets and never reads, each with its line."""
    read = {node.id for node in _names(definition, ast.Load)}
    return {
        target.id: node.lineno
        for node in ast.walk(definition)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id not in read
    }


def borrowed(definition: ast.AST) -> set[str]:
    """Return the names that a definition reads without setting them."""
    return {node.id for node in _names(definition, ast.Load)} - own(definition)


def _names(definition: ast.AST, context: type[ast.expr_context]) -> list[ast.Name]:
    nodes = [node for node in ast.walk(definition) if isinstance(node, ast.Name)]
    return [node for node in nodes if isinstance(node.ctx, context)]
