"""Find red flags in a submission's code: things that a person should look at. No score changes.

The code is read, not run. An answer is followed to all the code that it uses: helpers in other
cells, aliases, imports under any name. Learners who want to can hide from this, because programs
can be written in ways that no reading resolves. So the ways of hiding are red flags themselves:
names that are looked up while the code runs, functions of a library that are replaced, and any
mention of the grader's own parts.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate

import utils.checks
from grading.intake.notebook_parser import Flag, Notebook
from utils.checks import bank
from utils.checks.code import BLOCKS, syntax
from utils.checks.kinds import kind_of
from utils.checks.tasks import Task
from utils.notebook_file import given_code, tasks

# Ways to a name that does not stand in the code.
LOOKUPS = {"getattr", "eval", "exec", "globals", "locals", "vars", "__import__", "__builtins__"}
LOOKUP_ATTRIBUTES = {"import_module", "attrgetter", "methodcaller", "__dict__", "__getattribute__"}
# The grader's own parts, and ways into the process that it runs in.
INTERNALS = {
    *("utils.checks", "grading", "solutions", "ctypes", "gc", "builtins", "hashlib", "sys.modules"),
    *("sys._getframe", "sys.settrace", "sys.setprofile", "inspect.currentframe", "inspect.stack"),
    *("os.fork", "os.write", "torch.ops", "torch.autograd.Function"),
}
INTERNAL_TEXT = re.compile(r"utils[./]checks|grading[./]\w|solutions[./]\w|\.safetensors\b|/proc/")
CHECKED = re.compile(r"""^check\(["'](\w+)["']\)""", re.MULTILINE)
PRIVATE = re.compile(r"torch\.(\w+\.)*_(?!_)")  # private names of things that have a public name
FOR_LEARNERS = {f"utils.checks.{it}" for it in utils.checks.__all__}
MODELS = ("torch.nn", "utils.seq2seq", "utils.transformer")
USUAL = {"torch", "numpy", *sys.stdlib_module_names}  # anybody may use them, in any task
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
N = 5  # words of an n-gram
LONG = 30  # n-grams of a published answer; shorter answers are alike anyway
# Among the right answers in other styles that the exercises list, no long answer has more than 0.55
# of the n-grams of another answer.
COPIED = 0.8  # the share of a published answer's n-grams that is no coincidence
ENOUGH = 100  # n-grams; copied answers with fewer in all are not flagged


def flags(notebook: Notebook) -> Iterator[Flag]:
    """Yield the red flags of a submission."""
    given = tuple(given_code(notebook.name))
    try:
        code = _Code((cell.number, cell.source) for cell in notebook.cells)
        found = [*_notebook_flags(code, _texts_in(given)), *_copied_answers(notebook.name, code)]
        usual = USUAL | _imported_in(given)
        for task in _tasks(notebook.name):
            found += _answer_flags(task, code, usual)
        yield from found
    except RecursionError:
        yield Flag("", "is nested too deeply to be looked through")
    for task in _tasks(notebook.name):
        if task.id not in notebook.code:
            yield Flag(task.id, "is defined by no cell of the notebook")
    known = set().union(*tasks().values())
    for cell in notebook.cells:
        for name in CHECKED.findall(cell.source):
            if name not in known:
                old = f"checks {name!r}, which is no task of this course: a notebook of last year?"
                yield Flag("", old, cell.number)


@cache
def _imported_in(cells: tuple[str, ...]) -> set[str]:
    return {*_Code(enumerate(cells)).aliases.values(), *INTERNALS}


@cache
def _texts_in(cells: tuple[str, ...]) -> set[str]:
    nodes = (node for statement in _Code(enumerate(cells)).statements for node in statement.nodes)
    return {node.value for node in nodes if isinstance(node, ast.Constant)}


@cache
def _tasks(name: str) -> list[Task]:
    return bank.tasks()[name]


# --- Reading code ---------------------------------------------------------------------------------


class _Statement:
    """A statement with all syntax nodes inside it, in reading order.

    Args:
        cell: number of its cell.
        node: syntax node of the statement.
    """

    def __init__(self, cell: int, node: ast.stmt):
        self.cell, self.node = cell, node
        self.nodes: list[ast.AST] = []
        waiting: list[ast.AST] = [node]
        while waiting:  # `ast.walk` does not keep reading order
            self.nodes.append(waiting.pop())
            waiting += [*ast.iter_child_nodes(self.nodes[-1])][::-1]
        self.names = {node.id for node in self.nodes if isinstance(node, ast.Name)}

    @cached_property
    def local(self) -> set[str]:
        """The names that are local to a function, or to a class and its methods."""
        names = set()
        if isinstance(self.node, SCOPES):
            for node in self.nodes:
                match node:
                    case ast.arg(name) | ast.Name(name, ast.Store()):
                        names.add(name)
                    case ast.AST() if isinstance(node, SCOPES) and node is not self.node:
                        names.add(node.name)
        return names

    @cached_property
    def defines(self) -> set[str]:
        """The names that the statement defines; for `Class.method = …`, this is `Class`."""
        if isinstance(self.node, SCOPES):
            return {self.node.name}
        targets = [*getattr(self.node, "targets", []), getattr(self.node, "target", None)]
        targets += [item.optional_vars for item in getattr(self.node, "items", [])]
        parts = [part for target in targets if target for part in ast.walk(target)]
        return {part.id for part in parts if isinstance(part, ast.Name)}

    @cached_property
    def ngrams(self) -> set[tuple[str, ...]]:
        """The n-grams of the statement's nodes, without docstrings, with "_" for local names."""
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
        return ngrams(words)


def ngrams(words: Sequence[str]) -> set[tuple[str, ...]]:
    """Return every run of `N` consecutive words."""
    return set(zip(*(words[start:] for start in range(N)), strict=False))


class _Code:
    """The code of a notebook: which statements define each name, and what each name stands for."""

    def __init__(self, cells: Iterable[tuple[int, str]]):
        self.statements = [
            _Statement(number, node) for number, source in cells for node in syntax(source).body
        ]
        self.definitions: dict[str, list[_Statement]] = defaultdict(list)
        self.imports: dict[str, int] = {}  # imported name → number of its cell
        self.aliases: dict[str, str] = {}
        for statement in self.statements:
            for inner in (statement, *_nested(statement)):
                for name in inner.defines:
                    self.definitions[name].append(inner)
            for node in statement.nodes:
                imported = _imported(node)
                self.imports |= dict.fromkeys(imported, statement.cell)
                self.aliases |= imported
                match node:
                    case ast.Assign([ast.Name(name)], ast.Name() | ast.Attribute() as value):
                        self.aliases[name] = ast.unparse(value)
        self._modules = {self.aliases[name].partition(".")[0] for name in self.imports}
        self._mentioned: dict[_Statement, set[str]] = {}

    def is_imported(self, dotted: str) -> bool:
        """Return whether a dotted name begins with a module that the notebook imports."""
        return dotted.partition(".")[0] in self._modules

    def behind(self, name: str) -> list[_Statement]:
        """Return the statements that a name depends on, directly or through names that they use."""
        statements, waiting, seen = {}, [name], set()
        while waiting:
            name = waiting.pop()
            seen.add(name)
            for statement in self.definitions.get(name, ()):
                statements[statement] = True
                waiting += statement.names - statement.local - seen
        return [*statements]

    def dotted_name(self, node: ast.AST, local: Collection[str] = ()) -> str:
        """Return the dotted name of an expression, beginning with the module that it comes from.

        For `(a + b).mean` it is ".mean", for `a + b` it is "". Local names are not resolved.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        name = node.id if isinstance(node, ast.Name) else ""
        for _ in range(10):  # an alias may have an alias; two may be each other's
            first, _, rest = name.partition(".")
            known = self.aliases.get(first, first)
            if known == first or name in local:
                break
            name = f"{known}.{rest}" if rest else known
        return ".".join([name, *parts])

    def mentioned(self, statement: _Statement) -> set[str]:
        """Return the dotted names that a statement uses (`a.b`, but not also `a`) or imports."""
        if statement not in self._mentioned:
            names, inner = set(), set()
            for node in statement.nodes:
                if isinstance(node, ast.Name | ast.Attribute) and node not in inner:
                    names.add(self.dotted_name(node, statement.local))
                if isinstance(node, ast.Attribute):
                    inner.add(node.value)
                names.update(_imported(node).values())
            self._mentioned[statement] = names
        return self._mentioned[statement]


def _nested(statement: _Statement) -> Iterator[_Statement]:
    """Yield the statements inside an `if`, `for`, `with` or `try`, at any depth."""
    if not isinstance(statement.node, SCOPES):
        for block in BLOCKS:
            for node in getattr(statement.node, block, []):
                inner = _Statement(statement.cell, node)
                yield inner
                yield from _nested(inner)


def _imported(node: ast.AST) -> dict[str, str]:
    """Return imported name → its full dotted name, if the node is an import; {} otherwise."""
    names = {}
    for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else []:
        if isinstance(node, ast.ImportFrom):
            names[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
        elif alias.asname:
            names[alias.asname] = alias.name
        else:
            package = alias.name.partition(".")[0]
            names[package] = package
    return names


# --- Red flags ------------------------------------------------------------------------------------


def _notebook_flags(code: _Code, given: Collection[object]) -> Iterator[Flag]:
    """Yield the red flags that count in any part of a notebook, but for texts that were given."""
    for statement in code.statements:
        for dotted in sorted(code.mentioned(statement)):
            allowed = _is_for_learners(dotted) or not code.is_imported(dotted)
            if dotted in LOOKUPS or LOOKUP_ATTRIBUTES.intersection(dotted.split(".")[1:]):
                yield Flag("", f"looks names up while it runs, by {dotted}", statement.cell)
            elif not allowed and (_within(dotted, INTERNALS) or PRIVATE.match(dotted)):
                yield Flag("", f"mentions {dotted}", statement.cell)
        for node in statement.nodes:
            if replaced := _replaced(node, code):
                yield Flag("", f"replaces {replaced}", statement.cell)
            match node:
                case ast.Constant(str(text)) if text not in given and (
                    found := INTERNAL_TEXT.search(text)
                ):
                    yield Flag("", f"mentions {found[0]}", statement.cell)


def _is_for_learners(dotted: str) -> bool:
    """Return whether a dotted name is one that learners import from the checks.

    These are functions, without public attributes: `steps.append` is of a list of the learner's.
    """
    return dotted == "utils.checks" or (_within(dotted, FOR_LEARNERS) and "._" not in dotted)


def _within(dotted: str, packages: Collection[str]) -> bool:
    """Return whether a dotted name, or a package that contains it, is in `packages`."""
    return any(name in packages for name in accumulate(dotted.split("."), "{}.{}".format))


def _replaced(node: ast.AST, code: _Code) -> str:
    """Return the name in a module that `module.name = …` or `setattr(module, …)` replaces, or "".

    Assigning a constant does not count, because it is a setting.
    """
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant):
        targets = [target for target in node.targets if isinstance(target, ast.Attribute)]
    elif isinstance(node, ast.Call) and code.dotted_name(node.func) == "setattr":
        targets = node.args[:1]
    return next(filter(code.is_imported, map(code.dotted_name, targets)), "")


def _answer_flags(task: Task, code: _Code, usual: Collection[str]) -> Iterator[Flag]:
    """Yield the red flags in a task's answer, and in all code that the answer uses."""
    behind, all_mentioned = code.behind(task.id), set()
    for statement in behind:
        mentioned = code.mentioned(statement)
        all_mentioned |= mentioned
        words = {word for dotted in mentioned for word in dotted.split(".")}
        if words & LOOKUPS:
            texts = [node.value for node in statement.nodes if isinstance(node, ast.Constant)]
            words.update(text for text in texts if isinstance(text, str))
        for call in sorted(words.intersection(task.shortcuts)):
            yield Flag(task.id, f"uses {call}", statement.cell)
        for dotted in sorted(filter(code.is_imported, mentioned)):
            if not _within(dotted, usual):
                noticed = f"uses {dotted}, which its notebook does not give"
                yield Flag(task.id, noticed, statement.cell)
    itself = code.dotted_name(ast.Name(task.id))
    if itself != task.id and code.is_imported(itself):
        cell = behind[0].cell if behind else code.imports[task.id]
        yield Flag(task.id, f"is {itself} itself", cell)
    if kind_of(task).is_model and behind:
        rests_on_model = any(
            _within(dotted, MODELS) and not _within(dotted, ["torch.nn.functional"])
            for dotted in all_mentioned
        )
        if not rests_on_model:
            yield Flag(task.id, "rests on no model", behind[0].cell)


# --- The published answers ------------------------------------------------------------------------


def _copied_answers(name: str, code: _Code) -> Iterator[Flag]:
    """Yield flags for published answers that were copied, perhaps with other names and layout."""
    copied = {}
    for task, published in _published(name).items():
        for own in code.definitions.get(task, ()):
            for answer in published:
                if len(answer) >= LONG and len(own.ngrams & answer) >= COPIED * len(answer):
                    copied[task] = own.cell, len(answer)
    if sum(length for _, length in copied.values()) >= ENOUGH:
        for task, (cell, _) in copied.items():
            yield Flag(task, "reads like a published solution", cell)


@cache
def _published(name: str) -> dict[str, list[set[tuple[str, ...]]]]:
    """Return task → n-grams of its solution, and of each right answer in another style."""
    from solutions import build  # learners do not have it

    path = build.SOURCE / f"{name}.ipynb"
    solutions = _Code(enumerate(build.code_of(path)))
    stubs = _Code(enumerate(map(build.stub, build.code_of(path))))
    published = {}
    for task in _tasks(name):
        if kind_of(task).is_code:  # right choices are all alike
            specification = build.file_of(path, task.id)
            variants = _variants(syntax(specification.read_text(encoding="utf-8")))
            given = {ngram for stub in stubs.definitions[task.id] for ngram in stub.ngrams}
            answers = [*solutions.definitions[task.id], *variants]
            published[task.id] = [answer.ngrams - given for answer in answers]
    return published


def _variants(specification: ast.Module) -> Iterator[_Statement]:
    """Yield the functions and classes that a specification lists as `variants`."""
    listed = {
        name.id
        for node in ast.walk(specification)
        if isinstance(node, ast.keyword) and node.arg == "variants"
        for name in ast.walk(node.value)
        if isinstance(name, ast.Name)
    }
    for node in specification.body:
        if isinstance(node, SCOPES) and node.name in listed:
            yield _Statement(0, node)
