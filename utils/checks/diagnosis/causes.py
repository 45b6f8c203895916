"""What is likely behind an exception, in words of the task.

torch says which two numbers do not fit. Whose lengths they are can be read from the inputs.
"""

import difflib
import re
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from utils.checks.diagnosis.relations import axis_in_words
from utils.checks.tasks import Case, Task

MOST_LENGTHS = 2  # that a number is explained by
IMPORTED = {
    "np": "import numpy as np",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "math": "import math",
    "torch": "import torch",
    "plt": "import matplotlib.pyplot as plt",
}


def cause(task: Task, case: Case, message: str) -> str:
    """What may be behind an exception; "" where nothing can be said.

    Args:
        task: what was called.
        case: what it was called with.
        message: the exception's class and text.
    """
    for pattern, explain in _CAUSES.items():
        if found := re.search(pattern, message):
            return explain(task, case, *found.groups())
    return ""


def _do_not_fit(task: Task, case: Case, one: str, other: str) -> str:
    whose = {number: _lengths(case, int(number)) for number in dict.fromkeys([one, other])}
    told = [f"{' or '.join(names)} has {number}" for number, names in whose.items() if names]
    if not told or one == other:
        return ""
    return f"Two lengths do not fit, {one} and {other}: {', and '.join(told)}."


def _shapes_do_not_fit(task: Task, case: Case, one: str, other: str) -> str:
    """Two shapes, laid over each other from the end: the first place at which they do not fit."""
    shapes = [[int(length) for length in re.findall(r"\d+", shape)] for shape in (one, other)]
    for left, right in zip(*map(reversed, shapes), strict=False):
        if left != right and 1 not in (left, right):
            return _do_not_fit(task, case, str(left), str(right))
    return ""


def _lengths(case: Case, number: int) -> list[str]:
    """What is that long in a case, or that large."""
    found = [name for name, length in _all_lengths(case) if length == number]
    return found if len(found) <= MOST_LENGTHS else []


def _all_lengths(case: Case) -> Iterator[tuple[str, int]]:
    for name, value in {**case.inputs, **case.build}.items():
        if isinstance(value, Tensor):
            for axis in range(-value.dim(), 0):
                where = axis_in_words(axis, value.dim())
                yield f"{where} of `{name}`", value.shape[axis]


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
        return _without(task, case, function, name)
    if name in case.inputs or name in case.build:
        return ""
    return (
        f"Nothing is passed for `{name}` in this case, {case.label}: give it a default, as in "
        f"`{name}=None`."
    )


def _too_many_given(task: Task, case: Case, *_: str) -> str:
    if task.answer_type == "module":
        return ""
    return f"It is called as `{task.id}({', '.join(case.inputs)})`: are those your arguments?"


def _unknown_argument(task: Task, case: Case, name: str) -> str:
    if name not in case.build:
        return ""
    asked = ", ".join(f"{one}=…" for one in case.build)
    return f"It is built as `{task.id}({asked})`: `__init__` has to take these names."


def _truth_of_many(task: Task, case: Case) -> str:
    return (
        "`if` and `and` want one truth value, and get a whole tensor. To ask whether one was "
        "given, write `is not None`; to combine masks, `&` and `|`."
    )


def _nothing(task: Task, case: Case, *_: str) -> str:
    empty = [name for name, value in case.inputs.items() if value is None]
    if empty:
        return f"In this case `{empty[0]}` is `None`: ask `if {empty[0]} is not None` first."
    return "Something there is `None`: a function without `return` gives that, and a default."


def _no_such_method(task: Task, case: Case, name: str) -> str:
    near = difflib.get_close_matches(name, dir(torch.Tensor), 1)
    return f"Tensors have no `{name}`. Did you mean `{near[0]}`?" if near else ""


def _a_number(task: Task, case: Case, kind: str, name: str) -> str:
    if not hasattr(Tensor, name):
        return ""
    what = {"float": "a plain number", "int": "a plain number", "tuple": "a tuple"}
    return f"What stands before `.{name}` is {what.get(kind, f'a {kind}')} there, and no tensor."


def _a_module(task: Task, case: Case, *_: str) -> str:
    return "A module such as `torch` stands where a tensor should: its function is not called."


def _no_such_axis(task: Task, case: Case, axis: str) -> str:
    return (
        f"There is no axis {axis} in what it is applied to. Count from the end, -1 being the last: "
        "that holds with and without a batch."
    )


def _two_kinds(task: Task, case: Case, *_: str) -> str:
    return (
        "Two kinds of numbers meet, as float32 and float64. A tensor that you make should take "
        "over the kind of the inputs: `dtype=….dtype`, or `torch.zeros_like(…)`."
    )


def _no_view(task: Task, case: Case) -> str:
    return (
        "`view` needs numbers that lie row by row in memory, which a transposed tensor does not "
        "have: `reshape` takes both."
    )


def _without(task: Task, case: Case, function: str, name: str) -> str:
    return f"`{function}` is called there without `{name}`, which it needs."


def _other_arguments(task: Task, case: Case, function: str, given: str) -> str:
    return f"`{function}` is given ({given}) there, which it does not take."


def _empty_list(task: Task, case: Case) -> str:
    return "The list to be stacked is empty: does the loop before it append, and to this list?"


def _other_depths(task: Task, case: Case, one: str, other: str) -> str:
    return (
        f"A tensor with {one} axes meets one with {other}: `unsqueeze` gives one an axis more, "
        "`squeeze` takes one of length 1 away."
    )


def _three_axes(task: Task, case: Case, which: str) -> str:
    place = "first" if which == "batch1" else "second"
    return (
        f"`bmm` takes tensors with three axes, and what comes {place} has another number of them: "
        "did it get an axis that it had already, or lose one? `@` takes any number."
    )


def _no_index(task: Task, case: Case) -> str:
    return "An index has to be whole numbers or a mask, and is neither: `.long()` makes it whole."


def _taken_apart(task: Task, case: Case, expected: str, got: str) -> str:
    are = "is" if got == "1" else "are"
    return (
        f"{expected} names are to be given, and there {are} {got} to give them to. A shape has as "
        "many as the tensor has axes, and a function may return fewer."
    )


def _too_many_indices(task: Task, case: Case, depth: str) -> str:
    return f"What is indexed there has {depth} axes, and gets more indices than that."


def _whole_numbers(task: Task, case: Case) -> str:
    return (
        "It takes decimal numbers and gets whole ones or booleans: `.float()` makes them decimal."
    )


def _no_end(task: Task, case: Case) -> str:
    return "It calls itself, again and again: does one of your names hide the function you meant?"


_CAUSES: dict[str, Callable[..., str]] = {
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
    r"number of dimensions: got (\d+) and (\d+)": _other_depths,
    r"non-empty TensorList": _empty_list,
    r"tensors used as indices must be|only integers, slices": _no_index,
    r"not enough values to unpack \(expected (\d+), got (\d+)\)": _taken_apart,
    r"too many values to unpack \(expected (\d+)": lambda task, case, one: _taken_apart(
        task, case, one, "more"
    ),
    r"too many indices for tensor of dimension (\d+)": _too_many_indices,
    r"could not infer output dtype": _whole_numbers,
    r"TypeError: (\w+)\(\) missing \d+ required positional arguments?: [\"'](\w+)": _without,
    r"TypeError: (\w+)\(\) received an invalid combination .* got \((.*?)\), but": _other_arguments,
    r"Boolean value of Tensor with more than one value": _truth_of_many,
    r"'NoneType'": _nothing,
    r"'Tensor' object has no attribute '(\w+)'": _no_such_method,
    r"AttributeError: '(\w+)' object has no attribute '(\w+)'": _a_number,
    r"'module'": _a_module,
    r"Dimension out of range .* got (-?\d+)": _no_such_axis,
    r"same dtype|expected scalar type|must match dtype|mismatched dtype": _two_kinds,
    r"view size is not compatible": _no_view,
    r"RecursionError": _no_end,
}
