"""What a person should look at in the code of a submission. It is read, not run; no score changes.

An answer is followed to all that it uses: helpers in other cells, aliases, imports under any name.
Whoever wants to can hide from this, as programs can be written in ways that no reading resolves. So
the ways of hiding are signs themselves: names that are looked up while the code runs, functions of
a library that are replaced, and any mention of the grader's own parts.
"""

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache

from utils.checks import bank
from utils.checks.code import BLOCKS, syntax
from utils.checks.tasks import Task

# Ways to a name that does not stand in the code.
LOOKUPS = {"getattr", "eval", "exec", "globals", "locals", "vars", "__import__", "__builtins__"}
LOOKUP_ATTRIBUTES = {"import_module", "attrgetter", "methodcaller", "__dict__", "__getattribute__"}
# The grader's own parts, and ways into the process that it runs in.
INSIDES = ("utils.checks", "grading", "solutions", "ctypes", "gc", "builtins", "sys.modules")
INSIDES += ("sys._getframe", "sys.settrace", "sys.setprofile", "inspect.currentframe")
INSIDES += ("inspect.stack", "os.fork", "os.write", "hashlib", "torch.autograd.Function")
INSIDE_TEXT = re.compile(r"utils[./]checks|grading[./]\w|solutions[./]\w|\.npz\b|/proc/")
FOR_LEARNERS = {"utils.checks", *(f"utils.checks.{it}" for it in ("check", "hint", "progress"))}
MODELS = ("torch.nn", "utils.seq2seq", "utils.transformer")
USUAL = {"torch", "numpy", *sys.stdlib_module_names}  # anybody may use them, in any task
RUN = 5  # tokens
LONG = 40  # runs of a published answer; shorter ones are alike anyway
# Of the right answers in other styles that the exercises list, none that is long has more than 0.69
# of the runs of another.
TAKEN = 0.85  # the share of a published answer's runs that is no coincidence
ENOUGH = 120  # runs of the answers that were taken, in one notebook


@dataclass(frozen=True)
class Sign:
    """Something that a person should look at.

    Args:
        task: what it is about; "" where that is the whole notebook.
        noticed: completes "`task` …".
        cell: the number of the cell where it stands; 0 where that is none.
    """

    task: str
    noticed: str
    cell: int = 0

    def __str__(self) -> str:
        where = f" (cell {self.cell})" if self.cell else ""
        return f"{self.task or 'the code'} {self.noticed}{where}"


def signs(name: str, cells: Sequence[tuple[int, str]], given: Sequence[str]) -> list[Sign]:
    """What is noticed in a submission, each thing once.

    Args:
        name: of the course's notebook.
        cells: number and code of each cell.
        given: the code cells that learners find in that notebook.
    """
    try:
        code = _Code(cells)
        found = [*_of_the_notebook(code), *_taken(name, code)]
        of_the_course = {
            dotted for source in given for dotted in _imported(syntax(source)).values()
        }
        for task in _tasks(name):
            found += _of_an_answer(task, code, of_the_course)
    except RecursionError:
        found = [Sign("", "is nested too deeply to be looked through")]
    return list(dict.fromkeys(found))


@cache
def _tasks(name: str) -> list[Task]:
    return bank.tasks()[name]


# --- Reading code ---------------------------------------------------------------------------------


class _Code:
    """A notebook's code: which statements give each name its meaning, and what names stand for."""

    def __init__(self, cells: Sequence[tuple[int, str]]):
        self.trees = [(number, syntax(source)) for number, source in cells]
        self.definitions: dict[str, list[tuple[int, ast.stmt]]] = defaultdict(list)
        self.imports: dict[str, int] = {}  # name → cell
        self.aliases: dict[str, str] = {}
        for number, tree in self.trees:
            for statement in _statements(tree):
                for defined in _defined_by(statement):
                    self.definitions[defined].append((number, statement))
            for node in ast.walk(tree):
                self.imports |= dict.fromkeys(_imported(node), number)
                self.aliases |= _imported(node) | _other_name(node)
        self._modules = {self.aliases[name].partition(".")[0] for name in self.imports}

    def is_imported(self, dotted: str) -> bool:
        """Whether a dotted name begins with a module that the notebook imports."""
        return dotted.partition(".")[0] in self._modules

    def behind(self, name: str) -> dict[ast.stmt, int]:
        """The statements that a name rests on, its own and those of whatever they use → cell."""
        found, waiting, seen = {}, [name], set()
        while waiting:
            one = waiting.pop()
            seen.add(one)
            for number, statement in self.definitions.get(one, ()):
                found[statement] = number
                used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
                waiting += used - _bound_inside(statement) - seen
        return found

    def stands_for(self, node: ast.expr) -> str:
        """The dotted name of an expression, from the module that it comes from on.

        Of `(a + b).mean` it is ".mean", and of what is no name "".
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ".".join(["", *parts])
        name = node.id
        for _ in range(10):  # an alias of an alias; two may stand for each other
            first, _, rest = name.partition(".")
            known = self.aliases.get(first, first)
            if known == first:
                break
            name = f"{known}.{rest}" if rest else known
        return ".".join([name, *parts])

    def mentioned(self, node: ast.AST) -> set[str]:
        """The dotted names that a piece of code uses, longest ones only, and what it imports."""
        nodes = [one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)]
        inner = {one.value for one in nodes if isinstance(one, ast.Attribute)}
        found = {self.stands_for(one) for one in nodes if one not in inner}
        return found.union(*(_imported(one).values() for one in ast.walk(node)))


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a cell, also those inside an if, a for, a with or a try."""
    for block in BLOCKS:
        for one in getattr(tree, block, []):
            yield one
            if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from _statements(one)


def _defined_by(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning; also `Class` in `Class.method = …`."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    targets += [item.optional_vars for item in getattr(statement, "items", [])]
    names = set()
    for target in filter(None, targets):
        names |= {
            part.id
            for part in ast.walk(target)
            if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Del)
        }
    return names


def _bound_inside(statement: ast.stmt) -> set[str]:
    """The names that are local to a function, or to a class and its methods."""
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return set()
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node is not statement:
            found.add(node.name)
    return found


def _imported(node: ast.AST) -> dict[str, str]:
    """Name → where it comes from, for the imports of a statement or a module."""
    if isinstance(node, ast.Module):
        return {name: where for one in ast.walk(node) for name, where in _imported_here(one)}
    return dict(_imported_here(node))


def _imported_here(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module or ''}.{alias.name}"
    elif isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield alias.asname or first, alias.name if alias.asname else first


def _other_name(node: ast.AST) -> dict[str, str]:
    """What `name = module.other` makes another name for."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Name() | ast.Attribute() as value):
            return {name: ast.unparse(value)}
    return {}


# --- Signs ----------------------------------------------------------------------------------------


def _of_the_notebook(code: _Code) -> Iterator[Sign]:
    """What is odd wherever it stands."""
    for number, tree in code.trees:
        for dotted in sorted(code.mentioned(tree)):
            if dotted in LOOKUPS or LOOKUP_ATTRIBUTES.intersection(dotted.split(".")[1:]):
                yield Sign("", f"looks names up while it runs, by {dotted}", number)
            elif code.is_imported(dotted) and _is_inside(dotted):
                yield Sign("", f"mentions {dotted}", number)
        for node in ast.walk(tree):
            if replaced := _replaced(node, code):
                yield Sign("", f"replaces {replaced}", number)
            match node:
                case ast.Constant(str(text)) if found := INSIDE_TEXT.search(text):
                    yield Sign("", f"mentions {found[0]}", number)


def _is_inside(dotted: str) -> bool:
    return _within(dotted, INSIDES) and dotted not in FOR_LEARNERS


def _within(dotted: str, packages: Iterable[str]) -> bool:
    return any(dotted == one or dotted.startswith(f"{one}.") for one in packages)


def _replaced(node: ast.AST, code: _Code) -> str:
    """What a statement replaces in a module: by `module.name = …` or `setattr(module, …)`.

    A setting, whose value is plain, is none of that.
    """
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant):
        targets = [one for one in node.targets if isinstance(one, ast.Attribute)]
    elif isinstance(node, ast.Call) and code.stands_for(node.func) == "setattr":
        targets = node.args[:1]
    names = map(code.stands_for, targets)
    return next(filter(code.is_imported, names), "")


def _of_an_answer(task: Task, code: _Code, of_the_course: Collection[str]) -> Iterator[Sign]:
    """What is odd in an answer, and in all that it uses."""
    behind = code.behind(task.id)
    for statement, number in behind.items():
        mentioned = code.mentioned(statement)
        words = {word for dotted in mentioned for word in dotted.split(".")}
        if words & LOOKUPS:
            texts = [node.value for node in ast.walk(statement) if isinstance(node, ast.Constant)]
            words.update(text for text in texts if isinstance(text, str))
        for call in sorted(words.intersection(task.shortcuts)):
            yield Sign(task.id, f"uses {call}", number)
        for dotted in sorted(filter(code.is_imported, mentioned)):
            if not _within(dotted, USUAL | {*of_the_course, *INSIDES}):
                yield Sign(task.id, f"uses {dotted}, which its notebook does not give", number)
    itself = code.stands_for(ast.Name(task.id))
    if itself != task.id and code.is_imported(itself):
        number = code.imports.get(task.id) or next(iter(behind.values()))
        yield Sign(task.id, f"is {itself} itself", number)
    used = {dotted for statement in behind for dotted in code.mentioned(statement)}
    if task.full_marks_from and behind and not any(map(_belongs_to_a_model, used)):
        yield Sign(task.id, "rests on no model", max(behind.values()))


def _belongs_to_a_model(dotted: str) -> bool:
    return _within(dotted, MODELS) and not _within(dotted, ["torch.nn.functional"])


# --- The published answers ------------------------------------------------------------------------


def _taken(name: str, code: _Code) -> Iterator[Sign]:
    """The answers that are published ones but for names of variables, comments and layout."""
    taken = {}
    for task, published in _published(name).items():
        for number, statement in code.definitions.get(task, ()):
            own = runs_of(statement)
            for one in published:
                if len(one) >= LONG and len(own & one) >= TAKEN * len(one):
                    taken[task] = number, len(one)
    if sum(length for _, length in taken.values()) >= ENOUGH:
        for task, (number, _) in taken.items():
            yield Sign(task, "reads like a published solution", number)


@cache
def _published(name: str) -> dict[str, list[set[tuple[str, ...]]]]:
    """Task → the runs of its solution, and of each right answer in another style beside it."""
    from solutions import build  # learners have none

    path = build.SOURCE / f"{name}.ipynb"
    solutions = _Code([*enumerate(build.code_of(path))])
    stubs = _Code([*enumerate(map(build.stub, build.code_of(path)))])
    found = {}
    for task in _tasks(name):
        if task.kind == "choices":  # right ones are all alike
            continue
        others = (build.folder_of(path) / f"{task.id}.py").read_text(encoding="utf-8")
        answers = [one for _, one in solutions.definitions[task.id]] + _variants(syntax(others))
        given = {run for _, stub in stubs.definitions[task.id] for run in runs_of(stub)}
        found[task.id] = [runs_of(answer) - given for answer in answers]
    return found


def _variants(specification: ast.Module) -> list[ast.stmt]:
    """The functions and classes that a specification lists as `variants`."""
    named = {
        one.id
        for node in ast.walk(specification)
        if isinstance(node, ast.keyword) and node.arg == "variants"
        for one in ast.walk(node.value)
        if isinstance(one, ast.Name)
    }
    return [one for one in specification.body if getattr(one, "name", "") in named]


def runs_of(statement: ast.stmt) -> set[tuple[str, ...]]:
    """Runs of tokens, with one name for all that is local, without docstrings and annotations."""
    local = _bound_inside(statement) | {getattr(statement, "name", "")}
    return runs_in(tokens(ast.unparse(_Plain(local).visit(deepcopy(statement)))))


class _Plain(ast.NodeTransformer):
    """Takes off what a person changes who copies."""

    def __init__(self, local: Collection[str]):
        self._local = local

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name("_" if node.id in self._local else node.id, node.ctx)

    def visit_arg(self, _: ast.arg) -> ast.arg:
        return ast.arg("_")

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return self.visit(ast.Assign([node.target], node.value or ast.Constant(None), lineno=0))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name, node.returns = "_" if node.name in self._local else node.name, None
        return self._with_a_body(self.generic_visit(node))

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = "_" if node.name in self._local else node.name
        return self._with_a_body(self.generic_visit(node))

    @staticmethod
    def _with_a_body(node):
        node.body = node.body or [ast.Pass()]
        return node


def runs_in(tokens: Sequence[str]) -> set[tuple[str, ...]]:
    """All that is `RUN` tokens long."""
    return set(zip(*(tokens[start:] for start in range(RUN)), strict=False))


def tokens(source: str) -> list[str]:
    """The tokens of a piece of code, without layout."""
    layout = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    try:
        found = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):  # the last: half a character
        return source.split()
    return [token.string for token in found if token.type not in layout]
