"""What a person should look at in the code of a submission. It is read, not run; no score changes.

An answer is followed to all that it uses: helpers in other cells, aliases, imports under any name.
Whoever wants to can hide from this, as programs can be written in ways that no reading resolves. So
the ways of hiding are signs themselves: names that are looked up while the code runs, functions of
a library that are replaced, and any mention of the grader's own parts.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate

from utils.checks import bank
from utils.checks.code import BLOCKS, syntax
from utils.checks.tasks import Task

# Ways to a name that does not stand in the code.
LOOKUPS = {"getattr", "eval", "exec", "globals", "locals", "vars", "__import__", "__builtins__"}
LOOKUP_ATTRIBUTES = {"import_module", "attrgetter", "methodcaller", "__dict__", "__getattribute__"}
# The grader's own parts, and ways into the process that it runs in.
INSIDES = {
    *("utils.checks", "grading", "solutions", "ctypes", "gc", "builtins", "hashlib", "sys.modules"),
    *("sys._getframe", "sys.settrace", "sys.setprofile", "inspect.currentframe", "inspect.stack"),
    *("os.fork", "os.write", "torch.ops", "torch.autograd.Function"),
}
INSIDE_TEXT = re.compile(r"utils[./]checks|grading[./]\w|solutions[./]\w|\.safetensors\b|/proc/")
PRIVATE = re.compile(r"torch\.(\w+\.)*_(?!_)")  # other names for what has a public one
FOR_LEARNERS = {"utils.checks", *(f"utils.checks.{it}" for it in ("check", "hint", "progress"))}
MODELS = ("torch.nn", "utils.seq2seq", "utils.transformer")
USUAL = {"torch", "numpy", *sys.stdlib_module_names}  # anybody may use them, in any task
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
RUN = 5  # words
LONG = 30  # runs of a published answer; shorter ones are alike anyway
# Of the right answers in other styles that the exercises list, none that is long has more than 0.55
# of the runs of another.
TAKEN = 0.8  # the share of a published answer's runs that is no coincidence
ENOUGH = 100  # runs of the answers that were taken, in one notebook


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
        usual = USUAL | _imported_in(tuple(given))
        for task in _tasks(name):
            found += _of_an_answer(task, code, usual)
    except RecursionError:
        found = [Sign("", "is nested too deeply to be looked through")]
    return list(dict.fromkeys(found))


@cache
def _imported_in(cells: tuple[str, ...]) -> set[str]:
    return {*_Code(enumerate(cells)).aliases.values(), *INSIDES}


@cache
def _tasks(name: str) -> list[Task]:
    return bank.tasks()[name]


# --- Reading code ---------------------------------------------------------------------------------


class _Statement:
    """A statement with all that is in it, in reading order.

    Args:
        cell: its number.
        node: the statement.
    """

    def __init__(self, cell: int, node: ast.stmt):
        self.cell, self.node = cell, node
        self.nodes: list[ast.AST] = []
        waiting: list[ast.AST] = [node]
        while waiting:  # `ast.walk` has another order
            self.nodes.append(waiting.pop())
            waiting += [*ast.iter_child_nodes(self.nodes[-1])][::-1]
        self.names = {one.id for one in self.nodes if isinstance(one, ast.Name)}

    @cached_property
    def local(self) -> set[str]:
        """The names that have no meaning outside: of a function, or of a class and its methods."""
        if not isinstance(self.node, SCOPES):
            return set()
        return {
            *(one.arg for one in self.nodes if isinstance(one, ast.arg)),
            *(one.name for one in self.nodes[1:] if isinstance(one, SCOPES)),
            *(
                one.id
                for one in self.nodes
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            ),
        }

    @cached_property
    def defines(self) -> set[str]:
        """The names that get a meaning; also `Class` in `Class.method = …`."""
        if isinstance(self.node, SCOPES):
            return {self.node.name}
        targets = [*getattr(self.node, "targets", []), getattr(self.node, "target", None)]
        targets += [item.optional_vars for item in getattr(self.node, "items", [])]
        parts = [part for target in targets if target for part in ast.walk(target)]
        return {part.id for part in parts if isinstance(part, ast.Name)}

    @cached_property
    def runs(self) -> set[tuple[str, ...]]:
        """Runs of its nodes, with one name for all that is local, without docstrings."""
        local = {*self.local, getattr(self.node, "name", "")}
        words, docstring = [], None
        for node in self.nodes:
            match node:
                case ast.Name(name):
                    words.append("_" if name in local else name)
                case ast.Attribute(attr=name) | ast.keyword(name):
                    words.append(f".{name}")
                case ast.Expr(ast.Constant(str()) as docstring):
                    pass
                case ast.Constant(value) if node is not docstring:
                    words.append(repr(value))
                case ast.AST() if not isinstance(node, ast.expr_context) and node is not docstring:
                    words.append(type(node).__name__)
        return runs_in(words)


def runs_in(words: Sequence[str]) -> set[tuple[str, ...]]:
    """All that is `RUN` words long."""
    return set(zip(*(words[start:] for start in range(RUN)), strict=False))


class _Code:
    """A notebook's code: which statements give each name its meaning, and what names stand for."""

    def __init__(self, cells: Iterable[tuple[int, str]]):
        self.statements = [
            _Statement(number, node) for number, source in cells for node in syntax(source).body
        ]
        self.definitions: dict[str, list[_Statement]] = defaultdict(list)
        self.imports: dict[str, int] = {}  # name → cell
        self.aliases: dict[str, str] = {}
        for one in self.statements:
            for statement in (one, *_inside(one)):
                for name in statement.defines:
                    self.definitions[name].append(statement)
            for node in one.nodes:
                imported = _imported(node)
                self.imports |= dict.fromkeys(imported, one.cell)
                self.aliases |= imported or _other_name(node)
        self._modules = {self.aliases[name].partition(".")[0] for name in self.imports}
        self._mentioned: dict[_Statement, set[str]] = {}

    def is_imported(self, dotted: str) -> bool:
        """Whether a dotted name begins with a module that the notebook imports."""
        return dotted.partition(".")[0] in self._modules

    def behind(self, name: str) -> list[_Statement]:
        """The statements that a name rests on: its own, and those of whatever they use."""
        found, waiting, seen = {}, [name], set()
        while waiting:
            one = waiting.pop()
            seen.add(one)
            for statement in self.definitions.get(one, ()):
                found[statement] = True
                waiting += statement.names - statement.local - seen
        return [*found]

    def stands_for(self, node: ast.AST, local: Collection[str] = ()) -> str:
        """The dotted name of an expression, from the module that it comes from on.

        Of `(a + b).mean` it is ".mean", of what is no name "". Local names stand for themselves.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        name = node.id if isinstance(node, ast.Name) else ""
        for _ in range(10):  # an alias of an alias; two may stand for each other
            first, _, rest = name.partition(".")
            known = self.aliases.get(first, first)
            if known == first or name in local:
                break
            name = f"{known}.{rest}" if rest else known
        return ".".join([name, *parts])

    def mentioned(self, statement: _Statement) -> set[str]:
        """The dotted names that it uses, the longest only, and what it imports."""
        if statement not in self._mentioned:
            found, inner = set(), set()
            for node in statement.nodes:
                if isinstance(node, ast.Name | ast.Attribute) and node not in inner:
                    found.add(self.stands_for(node, statement.local))
                if isinstance(node, ast.Attribute):
                    inner.add(node.value)
                found.update(_imported(node).values())
            self._mentioned[statement] = found
        return self._mentioned[statement]


def _inside(statement: _Statement) -> Iterator[_Statement]:
    """The statements inside an if, a for, a with or a try."""
    if not isinstance(statement.node, SCOPES):
        for block in BLOCKS:
            for node in getattr(statement.node, block, []):
                one = _Statement(statement.cell, node)
                yield one
                yield from _inside(one)


def _imported(node: ast.AST) -> dict[str, str]:
    """Name → where it comes from, if the node is an import."""
    match node:
        case ast.ImportFrom():
            return {one.asname or one.name: f"{node.module or ''}.{one.name}" for one in node.names}
        case ast.Import():
            return {
                one.asname or one.name.partition(".")[0]: (
                    one.name if one.asname else one.name.partition(".")[0]
                )
                for one in node.names
            }
    return {}


def _other_name(node: ast.AST) -> dict[str, str]:
    """What `name = module.other` makes another name for."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Name() | ast.Attribute() as value):
            return {name: ast.unparse(value)}
    return {}


# --- Signs ----------------------------------------------------------------------------------------


def _of_the_notebook(code: _Code) -> Iterator[Sign]:
    """What is odd wherever it stands."""
    for one in code.statements:
        for dotted in sorted(code.mentioned(one)):
            if dotted in LOOKUPS or LOOKUP_ATTRIBUTES.intersection(dotted.split(".")[1:]):
                yield Sign("", f"looks names up while it runs, by {dotted}", one.cell)
            elif code.is_imported(dotted) and _is_inside(dotted):
                yield Sign("", f"mentions {dotted}", one.cell)
        for node in one.nodes:
            if replaced := _replaced(node, code):
                yield Sign("", f"replaces {replaced}", one.cell)
            match node:
                case ast.Constant(str(text)) if found := INSIDE_TEXT.search(text):
                    yield Sign("", f"mentions {found[0]}", one.cell)


def _is_inside(dotted: str) -> bool:
    inside = _within(dotted, INSIDES) or PRIVATE.match(dotted)
    return bool(inside) and dotted not in FOR_LEARNERS


def _within(dotted: str, packages: Collection[str]) -> bool:
    """Whether it is one of these, or a part of one."""
    return any(one in packages for one in accumulate(dotted.split("."), "{}.{}".format))


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


def _of_an_answer(task: Task, code: _Code, usual: Collection[str]) -> Iterator[Sign]:
    """What is odd in an answer, and in all that it uses."""
    behind = code.behind(task.id)
    for one in behind:
        mentioned = code.mentioned(one)
        words = {word for dotted in mentioned for word in dotted.split(".")}
        if words & LOOKUPS:
            texts = [node.value for node in one.nodes if isinstance(node, ast.Constant)]
            words.update(text for text in texts if isinstance(text, str))
        for call in sorted(words.intersection(task.shortcuts)):
            yield Sign(task.id, f"uses {call}", one.cell)
        for dotted in sorted(filter(code.is_imported, mentioned)):
            if not _within(dotted, usual):
                yield Sign(task.id, f"uses {dotted}, which its notebook does not give", one.cell)
    itself = code.stands_for(ast.Name(task.id))
    if itself != task.id and code.is_imported(itself):
        cell = behind[0].cell if behind else code.imports[task.id]
        yield Sign(task.id, f"is {itself} itself", cell)
    if task.full_marks_from and behind:
        used = {dotted for one in behind for dotted in code.mentioned(one)}
        if not any(map(_belongs_to_a_model, used)):
            yield Sign(task.id, "rests on no model", behind[0].cell)


def _belongs_to_a_model(dotted: str) -> bool:
    return _within(dotted, MODELS) and not _within(dotted, ["torch.nn.functional"])


# --- The published answers ------------------------------------------------------------------------


def _taken(name: str, code: _Code) -> Iterator[Sign]:
    """The answers that are published ones but for names of variables, comments and layout."""
    taken = {}
    for task, published in _published(name).items():
        for own in code.definitions.get(task, ()):
            for one in published:
                if len(one) >= LONG and len(own.runs & one) >= TAKEN * len(one):
                    taken[task] = own.cell, len(one)
    if sum(length for _, length in taken.values()) >= ENOUGH:
        for task, (cell, _) in taken.items():
            yield Sign(task, "reads like a published solution", cell)


@cache
def _published(name: str) -> dict[str, list[set[tuple[str, ...]]]]:
    """Task → the runs of its solution, and of each right answer in another style beside it."""
    from solutions import build  # learners have none

    path = build.SOURCE / f"{name}.ipynb"
    solutions = _Code(enumerate(build.code_of(path)))
    stubs = _Code(enumerate(map(build.stub, build.code_of(path))))
    found = {}
    for task in _tasks(name):
        if task.answer_type != "choices":  # whose right answers are all alike
            beside = (build.folder_of(path) / f"{task.id}.py").read_text(encoding="utf-8")
            answers = [*solutions.definitions[task.id], *_variants(beside)]
            given = {run for stub in stubs.definitions[task.id] for run in stub.runs}
            found[task.id] = [answer.runs - given for answer in answers]
    return found


def _variants(specification: str) -> Iterator[_Statement]:
    """The functions and classes that a specification lists as `variants`."""
    listed = {
        name.id
        for node in ast.walk(syntax(specification))
        if isinstance(node, ast.keyword) and node.arg == "variants"
        for name in ast.walk(node.value)
        if isinstance(name, ast.Name)
    }
    for node in syntax(specification).body:
        if isinstance(node, SCOPES) and node.name in listed:
            yield _Statement(0, node)
