"""Make weak tests, the wrong answers to tasks of the type "catch the bug".

Most weak tests are good ones with one part left out: their inputs are too easy, or they check less
than they could.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from solutions.specification import WrongAnswer


def close(actual: Tensor, expected: Tensor) -> bool:
    """Return whether two tensors have the same shape and, up to rounding, the same numbers."""
    return actual.shape == expected.shape and torch.allclose(actual, expected, atol=1e-5)


def compared(
    right: Callable,
    *inputs,
    results: Sequence[int] | None = None,
    like: Callable = close,
    **options,
) -> Callable:
    """Return a test that compares an implementation's results with the expected ones.

    Args:
        right: function of the inputs and the options that returns the expected results.
        inputs: arguments for the implementation.
        results: positions of the results to compare; None compares all results.
        like: function that returns whether two results agree.
        options: further arguments for `right`, which the implementation does not get.
    """

    def test(implementation):
        actual, expected = _results(implementation(*inputs)), _results(right(*inputs, **options))
        for place in results or range(len(expected)):
            assert like(actual[place], expected[place])

    return test


def differs(right: Callable, *inputs, result: int = 0) -> Callable:
    """Return an inverted test: it asserts that a result is wrong."""

    def test(implementation):
        actual, expected = _results(implementation(*inputs)), _results(right(*inputs))
        assert not close(actual[result], expected[result])

    return test


def shapes_alone(*inputs, shapes: Sequence[tuple[int, ...]]) -> Callable:
    """Return a test that checks only the shapes of the results."""

    def test(implementation):
        assert [result.shape for result in _results(implementation(*inputs))] == shapes

    return test


def sums_alone(*inputs, result: int = 1) -> Callable:
    """Return a test that checks only whether the rows of a result sum to 1."""

    def test(implementation):
        sums = _results(implementation(*inputs))[result].sum(-1)
        assert close(sums, torch.ones_like(sums))

    return test


def some_open(batch: int = 2, tgt_len: int = 3, src_len: int = 5) -> Tensor:
    """Return a mask (batch, tgt_len, src_len) of distinct rows, each with open and hidden cells."""
    numbers = torch.arange(1, 1 + batch * tgt_len).unsqueeze(-1)
    bits = numbers >> torch.arange(src_len) & 1
    return bits.bool().reshape(batch, tgt_len, src_len)


def first_query_shut(mask: Tensor) -> Tensor:
    """Return a copy of a mask that hides all keys from the first query of the last sentence."""
    shut = mask.clone()
    shut[-1, 0] = False
    return shut


def _results(returned) -> Sequence[Tensor]:
    return [returned] if isinstance(returned, Tensor) else returned


def asserts_nothing(test: Callable, name: str) -> WrongAnswer:
    """Return, as a wrong answer, a test that accepts every implementation of `name`."""
    return WrongAnswer(
        test,
        "Your test accepts the right implementation and all the broken ones: nothing has failed.",
        f"If `{name}` returned nothing but zeros, which of your lines would object?",
        misconception="plausible-is-right",
    )


def only_the_shapes(
    test: Callable,
    explanation: str = "Your test objects at most to wrong shapes. Nearly all bugs leave them as "
    "they are, and a comparison without `assert` objects to nothing.",
) -> WrongAnswer:
    """Return, as a wrong answer, a test that checks only shapes."""
    return WrongAnswer(
        test,
        explanation,
        "Which numbers should stand in the results? Can you work them out in another way?",
        misconception="shape-is-enough",
    )


def no_mask(test: Callable, name: str, place: str) -> WrongAnswer:
    """Return, as a wrong answer, a test that calls `name` without a mask.

    `place` says which argument the mask is, such as "fourth".
    """
    return WrongAnswer(
        test,
        "With your inputs it never shows what becomes of a closed cell: that takes a mask that "
        "closes some.",
        f"What is the {place} argument of `{name}` in your calls?",
        misconception="padding-is-harmless",
    )


def upside_down(
    test: Callable,
    explanation: str = "Your test fails where it should pass. What it asserts is true of "
    "broken implementations and false of the right one.",
) -> WrongAnswer:
    """Return, as a wrong answer, an inverted test: it fails for the right implementation."""
    return WrongAnswer(
        test,
        explanation,
        "An `assert` states what is true when all is well. What does yours state?",
        misconception="failing-is-finding",
    )


def to_the_last_digit(
    test: Callable,
    explanation: str = "Decimal numbers are rounded at each step of a computation, so two right "
    "ways to the same number seldom agree in every digit. Your test asks for that.",
) -> WrongAnswer:
    """Return, as a wrong answer, a test that compares numbers without a tolerance."""
    return WrongAnswer(
        test,
        explanation,
        "Which function compares up to a tolerance?",
        misconception="failing-is-finding",
    )


def wrong_expectation(*inputs, place: tuple[int, ...], hint: str) -> WrongAnswer:
    """Return, as a wrong answer, a test that expects a wrong weight at the index `place`."""

    def test(implementation):
        _, weights = implementation(*inputs)
        assert weights[place] == 0.25

    return WrongAnswer(
        test,
        "Your test expects the wrong thing. Work a small case out once more, step by step.",
        hint,
        misconception="failing-is-finding",
    )
