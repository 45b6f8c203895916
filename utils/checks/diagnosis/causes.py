"""Describe the likely cause of an exception in terms of the task.

torch names two lengths that do not fit. The inputs show which of their axes have these lengths.
"""

import difflib
import re
from collections.abc import Callable

import torch
from torch import Tensor

from utils.checks.diagnosis.relations import axis_in_words
from utils.checks.tasks import Case, Task

MOST_LENGTHS = 2  # axes by which a length is explained, at most
IMPORTED = {
    "np": "import numpy as np",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "math": "import math",
    "torch": "import torch",
    "plt": "import matplotlib.pyplot as plt",
}


def describe_cause(task: Task, case: Case, message: str) -> str:
    """Describe the likely cause of an exception; "" if its class and text fit no pattern."""
    for pattern, explanation in _CAUSES.items():
        if match := re.search(pattern, message):
            if isinstance(explanation, str):
                return explanation.format(*match.groups())
            return explanation(task, case, *match.groups())
    return ""


def _do_not_fit(task: Task, case: Case, first: str, second: str) -> str:
    whose = {number: _lengths(case, int(number)) for number in dict.fromkeys([first, second])}
    owners = [f"{' or '.join(names)} has {number}" for number, names in whose.items() if names]
    if not owners or first == second:
        return ""
    return f"Two lengths do not fit, {first} and {second}: {', and '.join(owners)}."


def _shapes_do_not_fit(task: Task, case: Case, first: str, second: str) -> str:
    """Describe the first axis, from the end, at which two shapes do not fit."""
    shapes = [[int(length) for length in re.findall(r"\d+", shape)] for shape in (first, second)]
    for left, right in zip(*map(reversed, shapes), strict=False):
        if left != right and 1 not in (left, right):
            return _do_not_fit(task, case, str(left), str(right))
    return ""


def _lengths(case: Case, number: int) -> list[str]:
    """Name the inputs' axes that are `number` long; return none if they are too many to help."""
    names = [
        f"{axis_in_words(axis, value.dim())} of `{name}`"
        for name, value in {**case.inputs, **case.build}.items()
        if isinstance(value, Tensor)
        for axis in range(-value.dim(), 0)
        if value.shape[axis] == number
    ]
    return names if len(names) <= MOST_LENGTHS else []


def _no_such_name(task: Task, case: Case, name: str) -> str:
    if name in IMPORTED:
        return f"Write `{IMPORTED[name]}` in a cell above, and run it."
    near = difflib.get_close_matches(name, case.inputs, 1)
    if near:
        return f"Did you mean your input `{near[0]}`?"
    return f"Nothing is called `{name}` where that line runs. Is it set in a line that is missing?"


def _not_set(task: Task, case: Case, name: str) -> str:
    return (
        f"The line that sets `{name}` is not reached with {case.label}. Set it in every branch, or "
        "before them."
    )


def _too_few_given(task: Task, case: Case, function: str, name: str) -> str:
    if task.id not in function:
        return WITHOUT.format(function, name)
    if name in case.inputs or name in case.build:
        return ""
    return (
        f"Nothing is passed for `{name}` in this case, {case.label}: give it a default, as in "
        f"`{name}=None`."
    )


def _too_many_given(task: Task, case: Case) -> str:
    if case.is_built:
        return ""
    return f"It is called as `{task.id}({', '.join(case.inputs)})`: are those your arguments?"


def _unknown_argument(task: Task, case: Case, name: str) -> str:
    if name not in case.build:
        return ""
    arguments = ", ".join(f"{known}=…" for known in case.build)
    return f"It is built as `{task.id}({arguments})`: `__init__` has to take these names."


def _nothing(task: Task, case: Case) -> str:
    empty = [name for name, value in case.inputs.items() if value is None]
    if empty:
        return f"In this case `{empty[0]}` is `None`: ask `if {empty[0]} is not None` first."
    return "Something there is `None`: a function without `return` gives that, and a default."


def _no_such_method(task: Task, case: Case, name: str) -> str:
    near = difflib.get_close_matches(name, dir(torch.Tensor), 1)
    return f"Tensors have no `{name}`. Did you mean `{near[0]}`?" if near else ""


def _no_tensor(task: Task, case: Case, class_: str, name: str) -> str:
    if not hasattr(Tensor, name):
        return ""
    words = {"float": "a plain number", "int": "a plain number", "tuple": "a tuple"}
    return (
        f"What stands before `.{name}` is {words.get(class_, f'a {class_}')} there, and no tensor."
    )


def _three_axes(task: Task, case: Case, which: str) -> str:
    place = "first" if which == "batch1" else "second"
    return (
        f"`bmm` takes tensors with three axes, and what comes {place} has another number of them: "
        "did it get an axis that it had already, or lose one? `@` takes any number."
    )


def _taken_apart(task: Task, case: Case, expected: str, given: str = "more") -> str:
    are = "is" if given == "1" else "are"
    return (
        f"{expected} names are to be given, and there {are} {given} to give them to. A shape has "
        "as many as the tensor has axes, and a function may return fewer."
    )


WITHOUT = "`{}` is called there without `{}`, which it needs."
# Pattern of a message → the cause in words, or a function of the pattern's groups that words it.
_CAUSES: dict[str, str | Callable[..., str]] = {
    r"NameError: name '(\w+)' is not defined": _no_such_name,
    r"local variable '(\w+)'": _not_set,
    r"TypeError: (.*)\(\) missing \d+ required positional argument: '(\w+)'": _too_few_given,
    r"TypeError: .*takes .* positional arguments? but": _too_many_given,
    r"TypeError: .*unexpected keyword argument '(\w+)'": _unknown_argument,
    r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)": _do_not_fit,
    r"cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)": _do_not_fit,
    r"batch2 tensor to be: \[\d+, (\d+)\] but got: \[\d+, (\d+)\]": _do_not_fit,
    r"size mismatch, .*?\[\d+ x (\d+)\], .*?\[(\d+)": _do_not_fit,
    r"Expected size (\d+) but got size (\d+)": _do_not_fit,
    r"batch2 tensor to be: \[(\d+), \d+\] but got: \[(\d+), \d+\]": _do_not_fit,
    r"inconsistent tensor size, expected tensor \[(\d+)\] .* \[(\d+)\]": _do_not_fit,
    r"equal size, but got \[(\d+).*\] at entry 0 and \[(\d+)": _do_not_fit,
    r"broadcast.*?(\(\d+, [\d, ]*\)).*?(\(\d+, [\d, ]*\))": _shapes_do_not_fit,
    r"(batch1|batch2) must be a 3D tensor": _three_axes,
    r"number of dimensions: got (\d+) and (\d+)": "A tensor with {} axes meets one with {}: "
    "`unsqueeze` gives one an axis more, `squeeze` takes one of length 1 away.",
    r"can't allocate memory|MemoryError": "It asks for more memory than an answer may take: does a "
    "tensor get one axis more in each turn of a loop?",
    r"non-empty TensorList": "The list to be stacked is empty: does the loop before it append, and "
    "to this list?",
    r"tensors used as indices must be|only integers, slices": "An index has to be whole numbers or "
    "a mask, and is neither: `.long()` makes it whole.",
    r"not enough values to unpack \(expected (\d+), got (\d+)\)": _taken_apart,
    r"too many values to unpack \(expected (\d+)": _taken_apart,
    r"too many indices for tensor of dimension (\d+)": "What is indexed there has {} axes, and "
    "gets more indices than that.",
    r"could not infer output dtype": "It takes decimal numbers and gets whole ones or booleans: "
    "`.float()` makes them decimal.",
    r"TypeError: (\w+)\(\) missing \d+ required positional arguments?: [\"'](\w+)": WITHOUT,
    r"TypeError: (\w+)\(\) received an invalid combination .* got \((.*?)\), but": "`{}` is "
    "given ({}) there, which it does not take.",
    r"Boolean value of Tensor with more than one value": "`if` and `and` want one truth value, and "
    "get a whole tensor. To ask whether one was given, write `is not None`; to combine masks, `&` "
    "and `|`.",
    r"'NoneType'": _nothing,
    r"'Tensor' object has no attribute '(\w+)'": _no_such_method,
    r"AttributeError: '(\w+)' object has no attribute '(\w+)'": _no_tensor,
    r"'module'": "A module such as `torch` stands where a tensor should: its function is not "
    "called.",
    r"Dimension out of range .* got (-?\d+)": "There is no axis {} in what it is applied to. Count "
    "from the end, -1 being the last: that holds with and without a batch.",
    r"same dtype|expected scalar type|must match dtype|mismatched dtype": "Two kinds of numbers "
    "meet, as float32 and float64. A tensor that you make should take over the kind of the inputs: "
    "`dtype=….dtype`, or `torch.zeros_like(…)`.",
    r"view size is not compatible": "`view` needs numbers that lie row by row in memory, which a "
    "transposed tensor does not have: `reshape` takes both.",
    r"RecursionError": "It calls itself, again and again: does one of your names hide the function "
    "you meant?",
}
