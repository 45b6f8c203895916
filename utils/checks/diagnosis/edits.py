"""Make small changes to a learner's code, one at a time: each takes back a slip that is common.

First come slips about shapes, which have names: `.T` of a batch, a missing `keepdim`. Any other
change is told by its place alone.
"""

import ast
import builtins
import copy
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from torch import Tensor

from utils.checks import code

LONGEST_PLACE = 50  # characters of a place that is quoted
MOST_NAMES = 12  # that are tried in place of another
PAIRS = {"max": "amax", "min": "amin"}  # what returns values and places → the values alone
AXES = (-1, -2, 1, 0, 2)
BOUNDED = {"range", "min", "max", "torch.arange"}  # functions that take the ends of something
MADE = {"arange", "zeros", "ones", "full", "zeros_like", "ones_like"}  # from nothing
FILLS = {"append", "extend", "insert"}
WITHOUT_TENSORS = {"view", "reshape", "permute", "transpose", "range", "arange", "append", "sqrt"}
REDUCTIONS = ("sum", "mean", "max", "min", "amax", "amin")  # of a whole tensor, if nothing is named
OTHERS = {  # another function that is taken for one
    name: [other for other in group if other != name]
    for group in (
        ("sum", "mean", "max", "norm"),
        ("mul", "div", "add", "sub"),
        ("exp", "exp2"),
        ("log", "log2", "log1p"),
        ("triu", "tril"),
        ("argmax", "argmin"),
        ("amax", "amin"),
        ("maximum", "minimum"),
        ("relu", "tanh", "sigmoid", "gelu"),
        ("cat", "stack"),
        ("zeros", "ones"),
        ("zeros_like", "ones_like"),
        ("floor", "round", "ceil"),
        ("any", "all"),
        ("logical_and", "logical_or"),
        ("var", "std"),
        ("softmax", "log_softmax", "sigmoid"),
        ("log_softmax", "softmax"),
        ("sin", "cos"),
        ("repeat", "repeat_interleave"),
        ("view", "unflatten"),
    )
    for name in group
}
MARKS = ("PAD", "SOS", "EOS")  # of the corpora
OPERATORS = {
    ast.Add: [ast.Sub, ast.Mult],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div, ast.Add],
    ast.Div: [ast.Mult, ast.FloorDiv],
    ast.FloorDiv: [ast.Div, ast.Mod],
    ast.Mod: [ast.FloorDiv],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Eq: [ast.NotEq, ast.LtE, ast.GtE],
    ast.NotEq: [ast.Eq],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}
T = "`.T` turns all axes of a tensor round, that of the batch too. `.mT` exchanges the last two."
PAIR = "`{}` with an axis returns a pair, values and their places. `a{}` returns the values alone."
SQUEEZED = "`squeeze()` takes away every axis of length 1, and here none has to go: leave it out."
SQUEEZE = (
    "`squeeze()` takes away every axis of length 1, that of a batch of one too: name the axis."
)
KEEPDIM = "Without `keepdim=True`, `{}` drops its axis, and its numbers meet another axis."
ROWS = "`{}` needs an axis: without one it makes one number of a whole table, not one of each row."
LESS = "`{}` has an axis less there than what it meets. `unsqueeze` inserts one of length 1."
MASK = (
    "`{}` has no axis for the queries there. Insert one of length 1, `unsqueeze(1)`: it lines up "
    "with each query in turn."
)
MORE = "`{}` has an axis of length 1 too many there. `squeeze`, with that axis, takes it away."
KEPT = "`{}` makes a new tensor, and nothing keeps it there: assign it."
TAKEN = "`{}` would be right in another order."
UNTURNED = "`{}` has to be transposed there."
TURNED = "`{}` is transposed, and should not be."


class Edit(NamedTuple):
    """A change of one place in a piece of code.

    Args:
        code: the whole code, changed.
        line, place: the line in the code as it was, and what stood there.
        words: sentence on the slip that is taken back; "" if it has no name.
        sure: whether the slip is told if only the shapes are right after the change.
        takes_away: whether a part of the code is gone, or a number that is computed with is another
            one: what is missing then may be its own work.
        begin, end: columns between which the place stands in its line; (0, 0) if it takes several.
        wraps: whether a step is put around what stands there.
        lines: all lines that are changed, if they are several.
    """

    code: str
    line: int
    place: str
    words: str = ""
    sure: bool = False
    takes_away: bool = False
    begin: int = 0
    end: int = 0
    wraps: bool = False
    lines: Sequence[int] = ()


Variant = tuple[str, ast.AST | None]  # the name of a slip, or "", and what stands in its place
Rule = Callable[[ast.AST], Iterator[Variant]]


def definitions(source: str) -> ast.Module:
    """Return the functions and classes in a cell, which can be defined once more without harm."""
    return ast.Module(copy.deepcopy(code.definitions(source)), [])


def edits(tree: ast.Module, by_shape: bool, near: int = 0, wraps: bool = True) -> Iterator[Edit]:
    """Yield changes of a tree, one at a time; while an edit is looked at, the tree has it.

    Args:
        tree: code that is changed in place, and restored.
        by_shape: whether shapes are wrong, so that axes are inserted before all else.
        near: number of a line whose changes come first.
        wraps: whether steps are put in that may be missing, such as a softmax.
    """
    seen = {ast.unparse(tree)}
    late = [_axes] if not by_shape else []
    early = [_shapes, *([_axes] if by_shape else [])]
    names, filled = _names(tree), _filled(tree)
    others = partial(_other_names, names=names, filled=filled)
    rules = [*early, _targets, _small, others, _bounds, *late]
    write = _writer(tree)

    def changes(*rules: Rule, near: int = 0) -> Iterator[Edit]:
        return itertools.chain.from_iterable(_one_by_one(tree, rule, write, near) for rule in rules)

    together = (_everywhere(tree, rule) for rule in (_shapes, _targets))
    plain = rules.index(others)  # before a step is put in, slips are looked for in the other lines
    chained = itertools.chain(
        changes(*rules, near=near) if near else (),
        changes(_shapes),
        *together,
        changes(*rules[1:plain]),
        changes(_missing, near=near) if near and wraps else (),
        changes(*rules[plain:]),
        changes(_missing) if wraps else (),
    )
    for edit in chained:
        if edit.code not in seen:
            seen.add(edit.code)
            yield edit


def _writer(tree: ast.Module) -> Callable[[ast.AST, ast.AST], str]:
    """Return a function that writes a tree in which one node, the first, is replaced by another.

    It writes the node's statement only, if that takes one line, and copies the others: to write all
    of them anew took most of the time of a search.
    """
    text = ast.unparse(tree)
    lines, on_line = text.split("\n"), {}
    both = (
        [x for x in ast.walk(each) if isinstance(x, ast.stmt)] for each in (tree, ast.parse(text))
    )
    for statement, written in zip(*both, strict=True):
        if written.lineno == written.end_lineno:
            place = statement, written.lineno - 1, " " * written.col_offset
            on_line |= {id(node): place for node in ast.walk(statement)}

    def write(node: ast.AST, new: ast.AST) -> str:
        if id(node) not in on_line:
            return ast.unparse(tree)
        statement, number, indent = on_line[id(node)]
        line = indent + ast.unparse(new if node is statement else statement)
        return "\n".join([*lines[:number], line, *lines[number + 1 :]])

    return write


def _one_by_one(
    tree: ast.Module, rule: Rule, write: Callable[..., str], near: int = 0
) -> Iterator[Edit]:
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]  # outer ones first
    around = {id(node): statement for statement in statements for node in ast.walk(statement)}
    numbers, reads = _numbers(tree), _reads(tree)
    for parent, field, place, node in [*_places(tree)]:
        if near not in (0, node.lineno):
            continue
        read = _reads(around[id(node)])
        for words, variant in [*rule(node)]:
            if variant is None and not isinstance(node, ast.stmt):
                continue
            if _hides(parent, field, variant):
                continue
            new = _placed(variant or ast.Pass(), node)
            new.is_new = True
            asks = isinstance(around[id(node)], ast.If | ast.While)  # then all of it may be wrong
            quoted = "" if asks else _quoted(node)
            _put(parent, field, place, new)
            try:
                less = variant is None or any(variant is child for child in ast.walk(node))
                fewer = isinstance(node, ast.Call) and _size(new) < _size(node)
                now = _reads(around[id(node)])
                takes_away = less or fewer or now.keys() < read.keys()
                takes_away |= any(read[name] == reads[name] for name in read.keys() - now.keys())
                takes_away |= id(node) in numbers
                takes_away |= isinstance(getattr(new, "op", None), ast.FloorDiv)  # it may leave 0
                takes_away |= rule is _bounds
                code_now = write(node, new)
                sure, one_line = words in SURE, node.lineno == node.end_lineno
                columns = (node.col_offset, node.end_col_offset) if one_line else (0, 0)
                wraps = bool(variant) and any(node is x for x in ast.walk(variant))
                takes_away |= wraps and _called(new) == "softmax"  # of one number it is 1
                yield Edit(code_now, node.lineno, quoted, words, sure, takes_away, *columns, wraps)
            finally:
                _put(parent, field, place, node)
                del new.is_new  # it may be a part of the code as it was


def _numbers(tree: ast.AST) -> set[int]:
    """Return the numbers that are computed with: another one may make a step idle."""
    nodes = [*ast.walk(tree)]
    sums = [node for node in nodes if isinstance(node, ast.BinOp)]
    sides = [side for node in sums for side in (node.left, node.right)]
    parts = [getattr(side, "operand", side) for side in sides]  # of -2, the 2
    numbers = [node for node in nodes if isinstance(getattr(node, "value", None), float)]
    return {id(part) for part in [*parts, *numbers] if isinstance(part, ast.Constant)}


def _hides(parent: ast.AST, field: str, variant: ast.AST | None) -> bool:
    """Decide whether a variant hides a whole step, so that the fault that is left is its own.

    A factor of 0 does, a power of 1, and a softmax of which all is summed.
    """
    match parent, variant:
        case ast.UnaryOp(), ast.Constant(value=0):  # it is tried in place of the whole number
            return True
        case ast.BinOp(op=ast.Mult() | ast.Div() | ast.FloorDiv() | ast.Pow()), ast.Constant(
            value=0
        ):
            return True
        case ast.BinOp(op=ast.Pow()), ast.Constant(value=1 | -1):
            return field == "left"
        case ast.Attribute(), ast.Call():
            return parent.attr in REDUCTIONS and _called(variant) == "softmax"
    return False


def _everywhere(tree: ast.Module, rule: Rule) -> Iterator[Edit]:
    """Take back the same slip wherever it occurs, if that is more than one place."""
    found: dict[str, list] = {}
    for parent, field, place, node in _places(tree):
        for number, (words, variant) in enumerate(rule(node)):
            kind = f"{type(node).__name__} {number} {words.partition('`')[2].partition('`')[2]}"
            found.setdefault(kind, []).append((parent, field, place, node, words, variant))
    for changes in found.values():
        inner = {id(child) for *_, node, _, _ in changes for child in [*ast.walk(node)][1:]}
        changes = [change for change in changes if id(change[3]) not in inner]
        if len(changes) < 2:
            continue
        for parent, field, place, node, _, variant in changes:
            variant.is_new = True
            _put(parent, field, place, _placed(variant, node))
        *_, node, words, _ = min(changes, key=lambda change: change[3].lineno)
        lines = sorted({node.lineno for *_, node, _, _ in changes})
        yield Edit(ast.unparse(tree), node.lineno, _quoted(node), words, words in SURE, lines=lines)
        for parent, field, place, node, _, variant in changes:
            _put(parent, field, place, node)
            del variant.is_new


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Yield each node with a line that stands below a definition, and where it hangs.

    What an edit has put there is left alone, as is what is around it.
    """
    new = {id(node) for node in ast.walk(tree) if hasattr(node, "is_new")}
    done = new | {id(node) for guard in _guards(tree) for node in ast.walk(guard)}
    # What is called in several places is often right, and one of the calls is not.
    called = Counter(_called(x) or getattr(x.func, "id", "") for x in _calls_in(tree))
    setup = [
        x
        for x in ast.walk(tree)
        if isinstance(x, ast.FunctionDef) and (x.name == "__init__" or called[x.name] > 1)
    ]
    late = {id(node) for each in setup for node in ast.walk(each)}
    for parent in sorted(ast.walk(tree), key=lambda node: id(node) in late):
        if isinstance(parent, ast.Module) or id(parent) in done:
            continue
        for field, value in ast.iter_fields(parent):
            nodes = value if isinstance(value, list) else [value]
            for place, node in enumerate(nodes):
                if not hasattr(node, "lineno"):
                    continue
                if not (new and any(id(x) in new for x in ast.walk(node))):
                    yield parent, field, place if isinstance(value, list) else None, node


def _calls_in(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _guards(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yield the functions in others that assert something: if it is not so, their caller errs."""
    for outer in ast.walk(tree):
        for inner in ast.walk(outer) if isinstance(outer, ast.FunctionDef) else []:
            is_function = inner is not outer and isinstance(inner, ast.FunctionDef)
            if is_function and any(isinstance(line, ast.Assert) for line in inner.body):
                yield inner


def _placed(new: ast.AST, node: ast.AST) -> ast.AST:
    """Give a new node the place of another; a part of the code keeps its own."""
    return new if hasattr(new, "lineno") else ast.copy_location(new, node)


def _put(parent: ast.AST, field: str, place: int | None, node: ast.AST) -> None:
    if place is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[place] = node


def _quoted(node: ast.AST) -> str:
    """Write a node as code; of a method call, its name and arguments."""
    text = ast.unparse(node).partition("\n")[0]
    if isinstance(node, ast.Tuple) and any(isinstance(part, ast.Slice) for part in node.elts):
        text = text[1:-1]  # between brackets it has none
    if len(text) > LONGEST_PLACE and isinstance(node, ast.Call):
        text = f"{_called(node)}({', '.join(map(ast.unparse, [*node.args, *node.keywords]))})"
    return text if len(text) <= LONGEST_PLACE else ""


def _called(node: ast.AST) -> str:
    """Return the name of the function that is called; "" if a node is no call of one."""
    return getattr(getattr(node, "func", None), "attr", "") if isinstance(node, ast.Call) else ""


def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def _method(value: ast.expr, name: str, *arguments: int, **named: bool) -> ast.Call:
    return ast.Call(
        ast.Attribute(value, name, ast.Load()),
        [ast.Constant(argument) for argument in arguments],
        [ast.keyword(key, ast.Constant(known)) for key, known in named.items()],
    )


# --- Slips about shapes ---------------------------------------------------------------------------


def _shapes(node: ast.AST) -> Iterator[Variant]:
    match node:
        case ast.Attribute(value=value, attr="T"):
            yield T, ast.Attribute(value, "mT", ast.Load())
            yield TURNED.format(_quoted(node)), value
        case ast.Attribute(value=value, attr="mT"):
            yield TURNED.format(_quoted(node)), value
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=name)) as made):
            if hasattr(Tensor, f"{name}_"):
                yield KEPT.format(name), ast.Assign([owner], made)
        case ast.Call(func=ast.Attribute(value=value, attr="squeeze"), args=[], keywords=[]):
            yield SQUEEZED, value
            for axis in AXES:
                yield SQUEEZE, _method(value, "squeeze", axis)
        case ast.Call() if _called(node) in REDUCTIONS:
            yield from _reductions(node)
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            for side, new in ((right, (left, _mt(right))), (left, (_mt(left), right))):
                if getattr(side, "attr", "") in ("T", "mT"):  # that it is turned is the slip
                    continue
                yield UNTURNED.format(_quoted(side)), ast.BinOp(new[0], ast.MatMult(), new[1])


def _mt(value: ast.expr) -> ast.Attribute:
    return ast.Attribute(value, "mT", ast.Load())


def _reductions(node: ast.Call) -> Iterator[Variant]:
    """Yield calls of `sum` and the like with the axis, or the `keepdim`, that they lack."""
    name, own = _called(node), f"{_called(node)}()"
    is_function = isinstance(node.func.value, ast.Name) and node.func.value.id == "torch"
    given = len(node.args) - is_function
    named = {keyword.arg for keyword in node.keywords}
    if name in PAIRS and (given == 1 or named & {"dim", "axis"}):
        other = ast.Attribute(node.func.value, PAIRS[name], ast.Load())
        new = [ast.keyword("dim", ast.Constant(-1))] if not node.args and not named else []
        yield PAIR.format(name, name), ast.Call(other, node.args, [*node.keywords, *new])
    keep = ast.keyword("keepdim", ast.Constant(True))
    if not given and not named & {"dim", "axis"}:
        func = ast.Attribute(node.func.value, PAIRS.get(name, name), ast.Load())
        for axis in (-1, 1):
            dim = ast.keyword("dim", ast.Constant(axis))
            for more in ([dim, keep], [dim]):
                yield ROWS.format(own), ast.Call(func, node.args, [*node.keywords, *more])
    elif "keepdim" not in named and given < 2:
        short = f"{name}({', '.join(map(ast.unparse, [*node.args[is_function:], *node.keywords]))})"
        yield KEEPDIM.format(short), ast.Call(node.func, node.args, [*node.keywords, keep])
        if given == 1:
            args = [*node.args[:is_function], ast.Constant(-1)]
            yield "", ast.Call(node.func, args, [*node.keywords, keep])


SURE = {T, SQUEEZED, SQUEEZE, *(PAIR.format(name, name) for name in PAIRS)}


def _axes(node: ast.AST) -> Iterator[Variant]:
    """Yield a node whose operands have an axis more, or less."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            for words, new in _with_axis(left):
                yield words, ast.BinOp(new, op, right)
            for words, new in _with_axis(right):
                yield words, ast.BinOp(left, op, new)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for words, new in _with_axis(left):
                yield words, ast.Compare(new, [op], [right])
            for words, new in _with_axis(right):
                yield words, ast.Compare(left, [op], [new])
        case ast.Call(func=ast.Name(id=name)) if hasattr(builtins, name):
            return  # what `len` or `range` takes meets nothing
        case ast.Call(func=func, args=arguments) if _called(node) not in WITHOUT_TENSORS:
            for place, argument in enumerate(arguments):
                for words, new in _with_axis(argument):
                    given = [*arguments[:place], new, *arguments[place + 1 :]]
                    yield words, ast.Call(func, given, node.keywords)


def _with_axis(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Constant | ast.Starred | ast.GeneratorExp | ast.List | ast.Tuple):
        return
    quoted = _quoted(node)
    for axis in AXES:
        about = MASK if axis in (1, -2) and "mask" in quoted else LESS
        yield about.format(quoted), _method(node, "unsqueeze", axis)
    yield MORE.format(quoted), _method(node, "squeeze", -1)
    yield MORE.format(quoted), _method(node, "squeeze", 1)


def _targets(node: ast.AST) -> Iterator[Variant]:
    """Yield the names that take the parts of something in another order."""
    match node:
        case ast.Tuple(elts=[_, _, *_] as parts, ctx=ast.Store()) if len(parts) < 5:
            for one, other in itertools.combinations(range(len(parts)), 2):
                new = [*parts]
                new[one], new[other] = parts[other], parts[one]
                yield TAKEN.format(_quoted(node)[1:-1]), ast.Tuple(new, ast.Store())


# --- Slips of any kind ----------------------------------------------------------------------------


def _small(node: ast.AST) -> Iterator[Variant]:
    for variant in _variants(node):
        yield "", variant


def _variants(node: ast.AST) -> Iterator[ast.AST | None]:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            for other in OPERATORS.get(type(op), []):
                yield ast.BinOp(left, other(), right)
            if not isinstance(op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr):
                yield ast.BinOp(right, op, left)
            yield left
            yield right
            if isinstance(op, ast.Div | ast.Mult):
                yield ast.BinOp(left, op, ast.BinOp(right, ast.Pow(), ast.Constant(0.5)))
        case ast.BoolOp(op=op, values=values):
            yield from (ast.BoolOp(other(), values) for other in OPERATORS[type(op)])
        case ast.Compare(left=left, ops=[op], comparators=others):
            for other in OPERATORS.get(type(op), []):
                yield ast.Compare(left, [other()], others)
        case ast.UnaryOp(operand=operand):
            yield operand
            if isinstance(operand, ast.Constant):
                yield ast.Constant(0)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
            yield from (body, orelse)
        case ast.Break() | ast.Continue():
            yield ast.Continue() if isinstance(node, ast.Break) else ast.Break()
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            for new in dict.fromkeys([value + 1, value - 1, -1, -2, 0, 1, 2, 10 * value]):
                yield ast.Constant(new)
        case ast.Constant(value=float() as value):
            for new in (value * 2, value / 2, -value, 1.0, 0.5):  # 0.0 would hide a whole step
                yield ast.Constant(new)
        case ast.Attribute(value=value, attr=attr, ctx=ast.Load()):
            for other in OTHERS.get(attr, []):
                yield ast.Attribute(value, other, ast.Load())
            if attr in ("T", "mT"):
                yield value
        case ast.Call():
            yield from _calls(node)
        case ast.Subscript(value=value, slice=last, ctx=context):
            if isinstance(value, ast.Subscript):  # x[i][j] for x[j][i]
                yield ast.Subscript(ast.Subscript(value.value, last), value.slice)
            if isinstance(context, ast.Load):
                yield value
        case ast.Slice(lower=lower, upper=upper, step=step):
            one = ast.Constant(1)
            yield ast.Slice(None, upper, step)
            yield ast.Slice(lower, None, step)
            yield ast.Slice((lower and ast.BinOp(lower, ast.Sub(), one)) or one, upper, step)
            yield ast.Slice(upper, lower, step)
            if lower and not upper:  # [1:] for [:-1]
                yield ast.Slice(None, ast.UnaryOp(ast.USub(), lower), step)
        case ast.Tuple(elts=parts, ctx=ast.Load()) | ast.List(elts=parts, ctx=ast.Load()):
            for one, other in itertools.combinations(range(min(len(parts), 5)), 2):
                new = [*parts]
                new[one], new[other] = parts[other], parts[one]
                yield type(node)(new, ast.Load())
            if len(parts) > 2:
                yield from (type(node)([*parts[n:], *parts[:n]], ast.Load()) for n in (1, -1))
        case ast.Assign() | ast.AugAssign() | ast.Expr():
            yield None


def _bounds(node: ast.AST) -> Iterator[Variant]:
    """Yield a slice, or a call of `range` and the like, one of whose bounds is off by one."""
    match node:
        case ast.Slice(lower=lower, upper=upper, step=step):
            for new in _off_by_one(upper):
                yield "", ast.Slice(lower, new, step)
            for new in _off_by_one(lower):
                yield "", ast.Slice(new, upper, step)
        case ast.Call(func=func, args=args, keywords=keywords):
            for place, bound in enumerate(args if ast.unparse(func) in BOUNDED else ()):
                for new in _off_by_one(bound):
                    yield "", ast.Call(func, [*args[:place], new, *args[place + 1 :]], keywords)


def _off_by_one(bound: ast.expr | None) -> Iterator[ast.expr]:
    """Yield a bound that is computed plus 1 and less 1; another number is tried anyway."""
    if isinstance(bound, ast.Name | ast.BinOp | ast.Call | ast.Subscript | ast.Attribute):
        yield from (ast.BinOp(bound, sign, ast.Constant(1)) for sign in (ast.Add(), ast.Sub()))


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    func, args, keywords = node.func, node.args, node.keywords
    if isinstance(func, ast.Attribute):
        yield func.value  # the object without the method call
    if args:
        yield args[0]
        yield ast.Call(func, args[:-1], keywords)
    if getattr(func, "attr", "") in ("masked_fill", "masked_fill_", "where"):
        yield ast.Call(func, [ast.UnaryOp(ast.Invert(), args[0]), *args[1:]], keywords)
    if getattr(func, "attr", "") == "get":
        yield from args[1:]  # what is taken if there is nothing
    if getattr(func, "attr", "") == "clamp" and not keywords and args:
        yield ast.Call(func, args[:-1], [ast.keyword("max", args[-1])])  # it is the smallest
    for keyword in keywords:
        if keyword.arg in (limits := ["min", "max"]) and len(keywords) == 1:
            limits.remove(keyword.arg)
            yield ast.Call(func, args, [ast.keyword(limits[0], keyword.value)])
        yield ast.Call(func, args, [other for other in keywords if other is not keyword])
    for one, other in itertools.combinations(range(min(len(args), 4)), 2):
        new = [*args]
        new[one], new[other] = args[other], args[one]
        yield ast.Call(func, new, keywords)


def _is_one_number(node: ast.AST) -> bool:
    """Decide whether a node reduces a whole tensor, as `scores.sum()` does."""
    reduces = isinstance(node, ast.Call) and getattr(node.func, "attr", "") in REDUCTIONS
    return reduces and not (node.args or node.keywords)


def _missing(node: ast.AST) -> Iterator[Variant]:
    """Yield a node with what may be missing around it."""
    match node:
        case ast.BinOp(left=left, op=ast.MatMult()):
            width = ast.parse(f"({ast.unparse(left)}).shape[-1] ** 0.5", mode="eval").body
            yield "", ast.BinOp(node, ast.Div(), width)
    is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    if is_read and isinstance(node, ast.BinOp | ast.Call | ast.Name | ast.Subscript):
        yield "", _mt(node)
        yield "", ast.UnaryOp(ast.Invert(), node)
        yield "", _method(node, "tanh")
        if _called(node) == "sum":
            yield "", ast.BinOp(node, ast.Pow(), ast.Constant(0.5))
        if not _is_one_number(node):  # whose softmax is 1, which hides a whole step
            yield "", _method(node, "softmax", -1)
        yield "", _method(node, "sum", 1)


def _reads(node: ast.AST) -> Counter[str]:
    """Return the names that are read in a piece of code, and how often each."""
    names = (child for child in ast.walk(node) if isinstance(child, ast.Name))
    return Counter(name.id for name in names if isinstance(name.ctx, ast.Load))


def _names(tree: ast.AST) -> list[str]:
    """Return the arguments and variables of a piece of code, and the attributes of `self`."""
    own = [name for definition in tree.body for name in sorted(code.own(definition))]
    parts = [ast.unparse(node) for node in ast.walk(tree) if _is_own_part(node)]
    return [*dict.fromkeys([*own, *parts])]


def _filled(tree: ast.AST) -> dict[int, set[str]]:
    """Return the lists that are filled step by step, for each node of a statement that does so.

    None of them may come to hold itself: PyTorch then ends the whole process.
    """
    parts: list[ast.AST] = []
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=into, attr=name)) if name in FILLS:
                pass
            case ast.AugAssign(target=into) | ast.Assign(targets=[ast.Subscript(value=into)]):
                pass
            case _:
                continue
        names |= {ast.unparse(part) for part in ast.walk(into) if isinstance(part, ast.expr)}
        parts += ast.walk(node)
    return {id(part): names for part in parts}


def _is_own_part(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"


def _other_names(node: ast.AST, names: list[str], filled: dict[int, set[str]]) -> Iterator[Variant]:
    """Yield another variable in place of one: the old state for the new one."""
    free = [name for name in names if name not in filled.get(id(node), ())]
    if isinstance(node, ast.Name) and node.id in MARKS:
        yield from (("", ast.Name(mark, ast.Load())) for mark in MARKS if mark != node.id)
    is_name, is_part = isinstance(node, ast.Name), _is_own_part(node)
    if isinstance(node, ast.Call) and _called(node) in MADE:
        for name in free[:MOST_NAMES]:
            if not name.startswith("self"):
                yield "", ast.Name(name, ast.Load())
    if (is_name or is_part) and isinstance(node.ctx, ast.Load) and ast.unparse(node) in names:
        alike = [name for name in free if name.startswith("self.") == is_part]
        for name in alike[:MOST_NAMES]:
            if name not in (ast.unparse(node), "self"):
                yield "", ast.parse(name, mode="eval").body
