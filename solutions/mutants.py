"""Make mutants: correct answers with one small fault each, which the checks have to notice.

Mutation testers such as mutmut and cosmic-ray change modules and run test suites. Here the code is
in notebooks and the test is a check, so a small mutator of our own is simpler.
"""

import ast
import copy
from collections.abc import Iterator

OPERATORS = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div, ast.Add],
    ast.Div: [ast.Mult, ast.Sub],
    ast.MatMult: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
}
COMMUTATIVE = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr)  # swapping their operands is no fault
NAMES = {
    "softmax": ["log_softmax", "sigmoid"],
    "argmax": ["argmin", "amax"],
    "log": ["log2", "exp"],
    "exp": ["exp2", "log"],
    "sum": ["mean", "prod", "cumsum"],
    "mean": ["sum"],
    "ones": ["zeros"],
    "zeros": ["ones"],
    "eye": ["ones"],
    "tril": ["triu"],
    "triu": ["tril"],
    "amax": ["amin"],
    "amin": ["amax"],
    "max": ["min"],
    "min": ["max"],
    "maximum": ["minimum"],
    "minimum": ["maximum"],
    "any": ["all"],
    "all": ["any"],
    "cat": ["stack"],
}
CHOOSES = ("argmax", "argmin", "argsort", "sort", "topk")  # mutants add noise to their numbers
MOVED = 1.5  # factor by which a threshold or a tolerance is raised and lowered
NEARLY = ast.Constant(0.001)  # a number that is wrongly treated as 0


def mutants(source: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield mutants of the definition of `name` in `source`, each with a single fault.

    Yields:
        The first changed line ("a line less" if a line was removed), and the whole changed source.
    """
    tree = ast.parse(source)
    (own,) = [statement for statement in tree.body if _name(statement) == name]
    seen = {ast.unparse(tree)}
    for position, node in enumerate(ast.walk(own)):
        for variant in _variants(node):
            if node is own and variant is None:
                continue  # the definition itself must stay
            changed = copy.deepcopy(tree)
            (own_copy,) = [statement for statement in changed.body if _name(statement) == name]
            original = list(ast.walk(own_copy))[position]
            _replace(changed, original, variant)
            code = ast.unparse(ast.fix_missing_locations(changed))
            if code not in seen:
                seen.add(code)
                yield _first_new_line(ast.unparse(tree), code), code


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return getattr(node, "name", "")


def _variants(node: ast.AST) -> Iterator[ast.AST | None]:
    """Yield faulty replacements for a syntax node; None stands for removing it."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            for other in OPERATORS.get(type(op), []):
                yield ast.BinOp(left, other(), right)
            if not isinstance(op, COMMUTATIVE):
                yield ast.BinOp(right, op, left)
            yield left
            yield right
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            yield ast.UnaryOp(ast.Not(), left)  # wrong for 0 and for empty values
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            yield left
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=0)]):
            yield from _tolerant(left, op)
            for other in OPERATORS.get(type(op), []):
                yield ast.Compare(left, [other()], node.comparators)
        case ast.Compare(left=left, ops=[op], comparators=others):
            for other in OPERATORS.get(type(op), []):
                yield ast.Compare(left, [other()], others)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
            if isinstance(value, float):
                yield ast.Constant(value * MOVED)
                yield ast.Constant(value / MOVED)
        case ast.Attribute(value=value, attr=attr, ctx=ctx):
            for other in NAMES.get(attr, []):
                yield ast.Attribute(value, other, ctx)
        case ast.Call(func=func, args=args, keywords=keywords):
            if args:
                yield ast.Call(func, args[:-1], keywords)
            for keyword in keywords:
                yield ast.Call(func, args, [other for other in keywords if other is not keyword])
            if isinstance(func, ast.Attribute):
                yield func.value  # the object without the method call
                if func.attr in CHOOSES:
                    yield _noisy(node)
            if getattr(func, "attr", getattr(func, "id", "")) in ("range", "arange"):
                yield from _shorter(node)
        case ast.Slice(lower=None, upper=upper, step=step):
            yield ast.Slice(ast.Constant(1), upper, step)
            if upper is None:
                yield ast.Slice(None, ast.Constant(-1), step)
        case ast.Slice(lower=lower, upper=None, step=step):
            yield ast.Slice(lower, ast.Constant(-1), step)
        case ast.FunctionDef(args=ast.arguments(args=arguments)):
            for argument in arguments:
                if argument.arg != "self":
                    yield _of_the_first(node, argument.arg)
        case ast.Tuple(elts=[first, second, *rest], ctx=ast.Load()):
            yield ast.Tuple([second, first, *rest], ast.Load())
        case ast.Dict(keys=keys, values=[first, *rest]):
            yield ast.Dict(keys, [*rest, first])
            for number in range(len(keys)):
                values = node.values[:number] + node.values[number + 1 :]
                yield ast.Dict(keys[:number] + keys[number + 1 :], values)
        case ast.Assign() | ast.AugAssign():
            yield None


def _tolerant(left: ast.expr, op: ast.cmpop) -> Iterator[ast.Compare]:
    """Yield variants of a comparison with 0 that treat small numbers as 0 too."""
    size = ast.Call(ast.Name("abs", ast.Load()), [left], [])
    match op:
        case ast.Gt() | ast.LtE():
            yield ast.Compare(left, [op], [NEARLY])
        case ast.Lt() | ast.GtE():
            yield ast.Compare(left, [op], [ast.UnaryOp(ast.USub(), NEARLY)])
        case ast.Eq():
            yield ast.Compare(size, [ast.Lt()], [NEARLY])
        case ast.NotEq():
            yield ast.Compare(size, [ast.Gt()], [NEARLY])


def _noisy(call: ast.Call) -> ast.Call:
    """Return a call of `argmax`, `sort` or the like that first adds some noise to its numbers."""
    numbers = ast.unparse(call.func.value)
    shaken = ast.parse(f"({numbers} + torch.rand(({numbers}).shape) / 10)", mode="eval").body
    return ast.Call(ast.Attribute(shaken, call.func.attr, ast.Load()), call.args, call.keywords)


def _shorter(call: ast.Call) -> Iterator[ast.Call]:
    """Yield variants of a `range` or `arange` that leave out its first or its last number."""
    if not call.args:  # a mutant may lack the arguments
        return
    *start, end = call.args[:2]
    first = start[0] if start else ast.Constant(0)
    one = ast.Constant(1)
    yield ast.Call(
        call.func, [ast.BinOp(first, ast.Add(), one), end, *call.args[2:]], call.keywords
    )
    yield ast.Call(
        call.func, [first, ast.BinOp(end, ast.Sub(), one), *call.args[2:]], call.keywords
    )


def _of_the_first(function: ast.FunctionDef, argument: str) -> ast.FunctionDef:
    """Return the function with a first line that fills a batch with copies of its first element."""
    (statement,) = ast.parse(f"{argument} = {argument}[:1].expand({argument}.shape)").body
    changed = copy.copy(function)
    changed.body = [statement, *function.body]
    return changed


def _replace(root: ast.AST, old: ast.AST, new: ast.AST | None) -> None:
    for parent in ast.walk(root):
        for field, value in ast.iter_fields(parent):
            if value is old and new is not None:
                setattr(parent, field, new)
            elif isinstance(value, list) and any(child is old for child in value):
                value[:] = [new or ast.Pass() if child is old else child for child in value]


def _first_new_line(before: str, after: str) -> str:
    old = set(before.splitlines())
    return next((line.strip() for line in after.splitlines() if line not in old), "a line less")
