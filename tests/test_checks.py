"""Test, on small made-up tasks, how `check` judges answers and what it tells the learner.

Every wrong answer gets exactly one message.
"""

import html
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from nbclient import NotebookClient
from torch import nn

from utils.checks import bank, check, hint, notebook, progress
from utils.checks.compare import INVARIANTS
from utils.checks.feedback import PLAIN, explain
from utils.checks.kinds import kind_of, values
from utils.checks.notebook import verdict_on
from utils.checks.progress import MOST_BELIEFS
from utils.checks.runner import OutOfTime, Printed, time_limit
from utils.checks.tasks import (
    Answer,
    Case,
    GradientKey,
    Misconception,
    Mistake,
    Reason,
    Record,
    Task,
)


def task_of(name, outputs, mistakes=(), **more):
    """Return a small task, worth one point unless `more` says otherwise."""
    plain = {"title": name, "points": 1, "difficulty": 1, "minutes": 5, "hints": HINTS}
    return Task(**{**plain, "id": name, "outputs": outputs, "mistakes": [*mistakes], **more})


HINTS = ["first", "second", "third"]
NUMBERS = torch.tensor([[0.5, 1.5], [2.0, 2.0]])
FACTORS = np.cos([1.0, 2.0, 3.0, 4.0]).reshape(2, 2)  # what `runner.factors` gives
SHARES = np.array([[0.25, 0.75], [0.5, 0.5]])
SHARE_GRADIENT = (FACTORS - (FACTORS * SHARES).sum(-1, keepdims=True)) / [[2.0], [4.0]]
COLUMNS = Misconception("columns-first", "columns come first", "Rows do.")
SHARE = Record(
    task_of(
        "share",
        ["shares"],
        [Mistake("columns", "You divide by the columns.", "Which axis?", COLUMNS.slug)],
        title="Share",
        points=2,
        learns=True,
        invariants={"shares": ["not negative", "rows sum to 1"]},
    ),
    [Case("a small table", {"numbers": NUMBERS, "power": 1.0})],
    [Answer({"shares": SHARES}, {GradientKey("shares", "numbers"): SHARE_GRADIENT})],
    {"columns": [Answer({"shares": (NUMBERS / NUMBERS.sum(0)).double().numpy()})]},
)
SCALE = Record(
    task_of("Scale", ["scaled", "count"], learns=True, answer_type="module"),
    [
        Case(
            "two numbers",
            {"numbers": torch.ones(2)},
            {"width": 2},
            {"factors": torch.tensor([2.0, 3.0])},
        )
    ],
    [
        Answer(
            {"scaled": np.array([2.0, 3.0]), "count": np.array(2)},
            {
                GradientKey("scaled", "numbers"): FACTORS[0] * [2.0, 3.0],
                GradientKey("scaled", "factors"): FACTORS[0],
            },
        )
    ],
    {},
)
GUESS = task_of(
    "guess",
    ["sky"],
    [Mistake("green", "Grass is green.", "Look up.")],
    answer_type="choices",
    choices={"sky": ["blue", "green", "red"]},
)

SENTENCES = [f"sentence {number}" for number in range(20)]
TRANSLATE = Record(
    task_of(
        "translate",
        ["translations"],
        [Mistake("mark", "They end with a mark.", "Which?")],
        title="Translate",
        points=6,
        returns="texts",
        full_marks_from=0.9,
    ),
    [Case("twenty sentences", {"sentences": SENTENCES})],
    [Answer({"translations": np.array(SENTENCES)})],
    {"mark": [Answer({"translations": np.array([f"{sentence} <eos>" for sentence in SENTENCES])})]},
)


def right(numbers, power):
    numbers = numbers**power
    return numbers / numbers.sum(-1, keepdim=True)


def by_columns(numbers, power):
    return numbers / numbers.sum(0)


def returned(task, answer):
    return kind_of(task).run(answer, SHARE.cases, Printed())


def verdict_of(answer, record=SHARE):
    return verdict_on(record, {record.task.id: answer}, Printed())


# --- Right answers, and wrong ones that run -------------------------------------------------------


def test_a_right_answer_gets_its_points():
    verdict = verdict_of(right)
    assert verdict.passed
    assert verdict.points == 2
    assert verdict.mistake is None


def test_prints_and_warnings_cost_nothing(capsys):
    def noisy(numbers, power):
        import warnings

        warnings.warn("careful", stacklevel=1)
        for line in range(10_000):
            print("line", line)
        return right(numbers, power)

    printed = Printed()
    verdict = verdict_on(SHARE, {"share": noisy}, printed)
    assert verdict.passed
    assert "printed 10,000 lines" in repr(explain(verdict, printed.lines // 2))  # run twice
    assert "printed 1 line while" in repr(explain(verdict, 1))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("answer", "reason", "part"),
    [
        (lambda numbers, power: right(numbers, power)[0], "shape", "wrong shape"),
        (lambda numbers, power: numbers.long(), "kind of numbers", "whole numbers"),
        (lambda numbers, power: numbers / 0, "not finite", "infinity"),
        (lambda numbers, power: numbers * 0 / 0, "not finite", "NaN"),
        (lambda numbers, power: numbers - 2, "invariant", "negative"),
        (lambda numbers, power: numbers, "invariant", "row that sums to 4"),
        (lambda numbers, power: right(numbers, power).detach(), "gradient", "back to `numbers`"),
        (lambda numbers, power: torch.tensor(right(numbers, 1.0).tolist()), "gradient", ".tolist"),
        (lambda numbers, power: torch.from_numpy(right(numbers, 1).numpy()), "gradient", ".numpy"),
        (torch.no_grad()(right), "gradient", "no_grad"),
        (
            lambda numbers, power: numbers / numbers.sum(-1, keepdim=True).detach(),
            "gradient",
            "back to `numbers` is wrong",
        ),
        (lambda numbers, power: numbers.softmax(-1), "values", "wrong values"),
    ],
)
def test_the_first_thing_that_is_wrong_is_named(answer, reason, part):
    verdict = verdict_of(answer)
    assert (verdict.reason, verdict.points) == (reason, 0)
    assert not verdict.reason.from_worker
    assert part in verdict.message
    assert verdict.mistake is None


def test_a_known_mistake_is_named_with_the_place_where_it_shows():
    verdict = verdict_of(by_columns)
    assert verdict.mistake.name == "columns"
    text = repr(explain(verdict))
    assert "You divide by the columns." in text
    assert "First difference: `shares[0, 0]` should be 0.25, is 0.2." in text
    assert 'hint("share")' in text


def test_two_numbers_that_differ_are_never_printed_alike():
    verdict = verdict_of(lambda numbers, power: right(numbers, power) + torch.tensor([2e-5, -2e-5]))
    text = repr(explain(verdict))
    assert "`shares[0, 0]` should be 0.25, is 0.25002." in text


def test_wrong_values_come_before_a_gradient_that_is_cut():
    """A constant has no gradient either, but the message must not suggest a `.detach()`."""
    verdict = verdict_of(lambda numbers, power: torch.full((2, 2), 0.5))
    assert (verdict.reason, "detach" in verdict.message) == ("values", False)


def test_invariants_know_of_rows_that_are_masked_whole():
    expected = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]])
    leaking = np.array([[0.5, 0.5, 1e-9], [0.0, 0.0, 0.0]])
    for name, actual in {"rows sum to 1": "", "exact zeros": "1e-09"}.items():
        assert INVARIANTS[name](expected, expected, 1e-5) == ""
        assert actual in INVARIANTS[name](leaking, expected, 1e-5)
    uniform = np.full((2, 3), 1 / 3)
    assert "sums to 1; it should sum to 0" in INVARIANTS["rows sum to 1"](uniform, expected, 1e-5)


def test_grad_switched_off_in_the_notebook_is_no_fault_of_the_answer():
    with torch.no_grad():
        assert verdict_of(right).passed


@pytest.mark.skipif(sys.platform != "linux", reason="memory can be limited on Linux only")
def test_an_answer_that_takes_all_memory_is_stopped_before_the_kernel_dies(monkeypatch):
    resource = importlib.import_module("resource")
    limits = resource.getrlimit(resource.RLIMIT_AS)
    monkeypatch.setattr(notebook, "MEMORY", 2**28)

    def grows(numbers, power):
        for _ in range(60):
            numbers = torch.stack([numbers, numbers])
        return numbers

    verdict = verdict_of(grows)
    assert "can't allocate memory" in verdict.message
    assert "in each turn of a loop" in verdict.relation
    assert resource.getrlimit(resource.RLIMIT_AS) == limits
    assert verdict_of(right).passed


def test_two_mistakes_are_told_one_at_a_time():
    """An answer has a known mistake, and gives NaN for large numbers: the mistake is told first."""
    odd = Case("large numbers", {"numbers": 1e30 * NUMBERS, "power": 1.0})
    record = replace(
        SHARE,
        cases=[*SHARE.cases, odd],
        expected=[SHARE.expected[0]] * 2,
        mistaken={"columns": [SHARE.mistaken["columns"][0]] * 2},
    )
    verdict = verdict_of(lambda numbers, power: numbers.pow(2).sqrt() / numbers.sum(0), record)
    assert verdict.mistake.name == "columns"
    assert verdict.evidence.case.label == "a small table"
    blown_up = verdict_of(lambda numbers, power: right(numbers**2, 0.5), record)
    assert blown_up.mistake is None
    assert blown_up.reason == "not finite"


def test_what_another_fault_makes_is_not_shown_as_the_mistakes():
    """NaN comes in the first case, which the mistake leaves finite; in the second it is alone."""
    odd = Case("large numbers", {"numbers": 1e30 * NUMBERS, "power": 1.0})
    record = replace(
        SHARE,
        cases=[odd, *SHARE.cases],
        expected=[SHARE.expected[0]] * 2,
        mistaken={"columns": [SHARE.mistaken["columns"][0]] * 2},
    )
    verdict = verdict_of(lambda numbers, power: numbers.pow(2).sqrt() / numbers.sum(0), record)
    assert verdict.mistake.name == "columns"
    assert verdict.evidence.case.label == "a small table"


def test_what_is_seen_belongs_to_the_mistake_that_is_named():
    def outputs(shares, numbers):
        return Answer({"shares": shares.double().numpy(), "total": numbers.sum().double().numpy()})

    tables = [torch.ones(2, 2), NUMBERS]  # in the first, rows and columns have one sum
    record = Record(
        task_of("share", ["shares", "total"], SHARE.task.mistakes),
        [Case(label, {"numbers": x}) for label, x in zip(("ones", "others"), tables, strict=True)],
        [outputs(x / x.sum(1, keepdim=True), x) for x in tables],
        {"columns": [outputs(x / x.sum(0), x) for x in tables]},
    )
    verdict = verdict_of(lambda numbers: (numbers / numbers.sum(0), numbers.sum() + 1), record)
    assert verdict.mistake.name == "columns"
    assert (verdict.evidence.case.label, verdict.evidence.output) == ("others", "shares")
    assert verdict.right == "`total` is wrong, too: look there if that stays so."


def test_a_mistake_that_two_outputs_speak_against_is_not_named():
    """The answer shares its first output with a mistake, which has the total right."""

    def outputs(numbers, divide):
        shares = {name: divide(numbers * factor) for name, factor in (("one", 1), ("two", 2))}
        return {**shares, "total": numbers.sum()}

    def answer(numbers):
        return Answer({name: value.double().numpy() for name, value in numbers.items()})

    columns = outputs(NUMBERS, lambda x: x / x.sum(0))
    record = Record(
        task_of("share", ["one", "two", "total"], SHARE.task.mistakes),
        [Case("a small table", {"numbers": NUMBERS})],
        [answer(outputs(NUMBERS, lambda x: x / x.sum(1, keepdim=True) + x))],
        {"columns": [answer(columns)]},
    )
    one, two, total = columns.values()
    for given, named in (
        ((one, two, total + 1), True),
        ((one, 3 * two, total), True),
        ((one, 3 * two, total + 1), False),
    ):
        assert bool(verdict_of(lambda numbers, given=given: given, record).mistake) == named


def test_a_mistake_that_would_make_a_right_case_wrong_is_not_named():
    """The first output is as with a mistake; the second is right, but where a row is empty."""

    def outputs(numbers, axis, fill):
        shares = numbers.abs() / numbers.abs().sum(axis, keepdim=True)
        return {"mean": shares @ numbers.mT, "shares": shares.nan_to_num(fill)}

    def both(first, second):
        return Answer(
            {
                "mean": first["mean"].nan_to_num(0).double().numpy(),
                "shares": second["shares"].double().numpy(),
            }
        )

    tables = [NUMBERS, 3 + NUMBERS.mT, torch.tensor([[0.0, 0.0], [2.0, 5.0]])]
    right, wrong = ([outputs(x, axis, 0.0) for x in tables] for axis in (1, 0))
    filled = [outputs(x, 1, 0.5) for x in tables]
    record = Record(
        task_of("share", ["mean", "shares"], SHARE.task.mistakes),
        [Case(label, {"numbers": x}) for label, x in zip("abc", tables, strict=True)],
        [*map(both, right, right)],
        {"columns": [*map(both, wrong, wrong)]},
    )
    for shares, named in ((wrong, True), (filled, False)):
        answers = [*map(both, wrong, shares)]
        verdict = kind_of(record.task).diagnose(record, answers)
        assert bool(verdict.mistake) == named


def test_a_fault_in_the_diagnosis_is_kept_for_the_maintainer(monkeypatch):
    """The learner gets the plain verdict, and reads nothing of the fault."""

    def fails(*given):
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(values, "describe_values", fails)
    verdict = verdict_of(lambda numbers, power: numbers.softmax(-1))
    assert (verdict.reason, verdict.relation) == ("values", "")
    assert "ZeroDivisionError: of ours (test_checks.py, line " in verdict.fault
    assert "of ours" not in repr(explain(verdict))


def test_no_question_is_asked_of_an_output_that_has_failed_another():
    """The rows of an output of the wrong shape cannot be compared with those of the right one."""

    def outputs(numbers, axis):
        values = {
            "shares": numbers / numbers.sum(axis, keepdim=True),
            "copy": torch.as_tensor(SHARES),
        }
        return Answer({name: value.double().numpy() for name, value in values.items()})

    task = task_of("share", ["shares", "copy"], SHARE.task.mistakes)
    record = Record(
        replace(task, invariants={"copy": ["rows sum to 1"]}),
        [Case("a table", {"numbers": NUMBERS})],
        [outputs(NUMBERS, 1)],
        {"columns": [outputs(NUMBERS, 0)]},
    )
    verdict = verdict_of(lambda numbers: (numbers / numbers.sum(0), numbers.repeat(2, 2)), record)
    assert (verdict.reason, verdict.evidence.output) == ("values", "shares")


# --- Answers that do not run ----------------------------------------------------------------------


def sets_the_seed(numbers, power):
    torch.manual_seed(0)
    return right(numbers, power)


def changes_its_input(numbers, power):
    numbers /= numbers.sum(-1, keepdim=True)
    return numbers


def leaves(numbers, power):
    raise SystemExit


@pytest.mark.parametrize(
    ("answer", "reason", "part"),
    [
        (lambda numbers, power: None, "nothing", "returns nothing yet"),
        (lambda numbers, power: ..., "nothing", "still to be written"),
        (lambda numbers, power: [0.25], "type", "returns a list"),
        (lambda numbers, power: [0.25], "type", "`torch.tensor` makes one"),
        (lambda numbers, power: [*numbers], "type", "`torch.stack` joins"),
        (lambda numbers, power: NUMBERS.numpy(), "type", "returns a ndarray"),
        (lambda numbers, power: right(numbers, power).to("meta"), "device", "`meta`"),
        (lambda numbers: numbers, "error", "TypeError"),
        (lambda numbers, power: numbers.long().softmax(-1), "error", "not implemented for 'Long'"),
        (nn.Softmax, "wrong-type", "is a class"),
        (NUMBERS, "wrong-type", "is a Tensor"),
        (sets_the_seed, "seed", "manual_seed"),
        (changes_its_input, "in-place", "`numbers`"),
        (leaves, "error", "SystemExit"),
        (lambda numbers, power: numbers.to_sparse(), "type", "cannot be compared"),
    ],
)
def test_what_cannot_be_compared_gets_one_clear_message(answer, reason, part):
    verdict = verdict_of(answer)
    assert verdict.reason == reason
    assert verdict.reason.from_worker
    assert part in verdict.message


def test_an_async_function_is_told_apart():
    async def share(numbers, power):
        return right(numbers, power)

    verdict = verdict_of(share)
    assert verdict.reason == "wrong-type"
    assert "Leave out `async`" in verdict.message


def test_an_answer_may_draw_and_nothing_is_left_of_it():
    from matplotlib import pyplot

    def draws(numbers, power):
        pyplot.plot([1, 2])
        return right(numbers, power)

    kept = pyplot.figure().number
    assert verdict_of(draws).passed
    assert pyplot.get_fignums() == [kept]
    pyplot.close(kept)


def test_gradients_that_an_answer_leaves_off_are_on_again_behind_it():
    def leaves_off(numbers, power):
        torch.set_grad_enabled(False)
        return right(numbers, power)

    verdict_of(leaves_off)
    left_on = torch.is_grad_enabled()
    torch.set_grad_enabled(True)  # for the tests behind this one, if it fails
    assert left_on


def test_the_notebooks_default_device_is_its_own_affair():
    torch.set_default_device("meta")
    try:
        assert verdict_of(lambda numbers, power: torch.zeros(2, 2) + right(numbers, power)).passed
    finally:
        torch.set_default_device(None)


def test_a_check_in_a_thread_works():
    verdicts = []
    thread = threading.Thread(target=lambda: verdicts.append(verdict_of(right)))
    thread.start()
    thread.join()
    assert verdicts[0].passed


def test_a_draw_is_no_reset_and_leaves_no_trace():
    def draws(numbers, power):
        torch.rand(3)
        return right(numbers, power)

    torch.manual_seed(7)
    assert verdict_of(draws).passed
    after = torch.rand(1)
    torch.manual_seed(7)
    assert torch.equal(torch.rand(1), after)


def test_a_result_that_is_changed_later_was_right_when_it_was_returned():
    kept = []

    def keeps(numbers, power):
        for tensor in kept:
            tensor.detach().zero_()
        kept.append(right(numbers.double(), power))
        return kept[-1]

    assert verdict_of(keeps).passed


def test_of_an_exception_only_the_line_of_the_learner_is_shown():
    """The learner's line is read from `linecache`, where IPython puts the code of notebook cells.

    There is no file with that code.
    """
    import linecache

    source = "def share(numbers, power):\n    return numbers.softmax(dim=5)\n"
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(True), "<cell>")
    names = {}
    exec(compile(source, "<cell>", "exec"), names)
    verdict = verdict_on(SHARE, names, Printed())
    line = "In your code, `line 2: return numbers.softmax(dim=5)`. "
    assert verdict.where == line + "It was called with a small table: `numbers` (2, 2)."
    assert verdict.message.startswith("IndexError")
    text = repr(explain(verdict))
    assert "Traceback" not in text
    assert "runner.py" not in text


def loop(numbers, power):
    while True:
        pass


def loop_that_swallows(numbers, power):
    while True:
        try:  # noqa: SIM105
            print("still here")
        except:  # noqa: E722 - as learners write it
            pass


def sleep(numbers, power):
    time.sleep(60)


@pytest.mark.parametrize(
    ("answer", "clock"),
    [
        *((answer, "the system's") for answer in (loop, loop_that_swallows, sleep)),
        *((answer, "a thread") for answer in (loop, loop_that_swallows)),  # as on Windows
    ],
)
def test_what_never_ends_is_stopped(answer, clock, monkeypatch):
    if clock == "a thread":
        monkeypatch.delattr(signal, "setitimer", raising=False)
    numbers = signal.SIGINT, getattr(signal, "SIGALRM", signal.SIGINT)
    threads, handlers = threading.active_count(), [*map(signal.getsignal, numbers)]
    start = time.monotonic()
    verdict = verdict_of(answer, replace(SHARE, task=replace(SHARE.task, seconds=0.2)))
    assert verdict.reason == "time"
    assert time.monotonic() - start < 5
    assert threading.active_count() == threads
    assert [*map(signal.getsignal, numbers)] == handlers
    assert verdict_of(right).passed  # and all goes on


# --- Part of the points ---------------------------------------------------------------------------


def with_errors(count, end=""):
    """Return an answer to `TRANSLATE` whose first `count` sentences are wrong.

    The other sentences are right, with `end` added.
    """
    return lambda sentences: [
        "wrong" if number < count else sentence + end for number, sentence in enumerate(sentences)
    ]


@pytest.mark.parametrize(
    ("errors", "passed", "points"),
    [(0, True, 6), (2, True, 6), (3, False, 5), (10, False, 3), (17, False, 1), (18, False, 0)],
)
def test_a_share_of_right_answers_earns_a_share_of_the_points(errors, passed, points):
    verdict = verdict_of(with_errors(errors), TRANSLATE)
    assert (verdict.passed, verdict.points) == (passed, points)
    assert verdict.mistake is None
    text = repr(explain(verdict))
    assert f"{100 - 5 * errors} % are right" in text
    if not passed:
        assert "90 % earn all points" in text
        assert "For `sentences[0] = 'sentence 0'`" in text
        assert "should be 'sentence 0', is 'wrong'" in text
        assert (f", {points} of 6 points so far" in text) == (points > 0)


def test_of_a_model_with_errors_the_mistake_is_named_that_explains_most():
    verdict = verdict_of(with_errors(4, end=" <eos>"), TRANSLATE)
    assert verdict.mistake.name == "mark"
    assert verdict.points == 0


def test_a_model_that_knows_little_agrees_with_a_mistake_by_chance():
    """A mistake is named only if it explains most of the answer's entries, here 9 of 20.

    That more entries agree with the mistake than are right is not enough.
    """
    verdict = verdict_of(with_errors(11, end=" <eos>"), TRANSLATE)
    assert verdict.share == 0
    assert verdict.mistake is None


@pytest.mark.parametrize(
    ("answer", "reason", "part"),
    [
        (lambda sentences: None, "nothing", "returns nothing yet"),
        (lambda sentences: " ".join(sentences), "type", "and returns a str."),
        (
            lambda sentences: [sentence.split() for sentence in sentences],
            "type",
            "that holds a list",
        ),
        (lambda sentences: torch.ones(20), "type", "as a list of texts"),
        (lambda sentences: sentences[1:], "shape", "wrong shape"),
        (lambda sentences: [], "shape", "wrong shape"),
    ],
)
def test_texts_come_as_a_list_of_strings(answer, reason, part):
    verdict = verdict_of(answer, TRANSLATE)
    assert (verdict.reason, verdict.points) == (reason, 0)
    assert part in verdict.message
    assert verdict_of(tuple, TRANSLATE).reason == "wrong-type"
    assert verdict_of(lambda sentences: np.array(sentences), TRANSLATE).passed


# --- Modules and choices --------------------------------------------------------------------------


class Scale(nn.Module):
    def __init__(self, width, name="factors"):
        super().__init__()
        self.register_parameter(name, nn.Parameter(torch.ones(width)))

    def forward(self, numbers):
        return numbers * next(self.parameters()), torch.tensor(len(numbers))


def test_a_module_is_built_given_its_parameters_and_called():
    assert verdict_of(Scale, SCALE).passed


def test_inputs_may_hold_nan_and_lists_and_are_the_learners_to_keep():
    task = replace(SHARE.task, invariants={})
    inputs = {"numbers": torch.tensor([[float("nan"), 1.0]]), "words": ["a", "b"]}
    record = Record(
        task,
        [Case("NaN and words", inputs)],
        [Answer({"shares": np.array([1.0, 1.0])})],
        {"columns": [Answer({"shares": np.array([0.0, 0.0])})]},
    )
    assert verdict_of(lambda numbers, words: torch.ones(len(words)), record).passed
    verdict = verdict_of(
        lambda numbers, words: torch.ones(len(words) + 0 * len(words.pop())), record
    )
    assert verdict.reason == "in-place"
    assert "`words`" in verdict.message


@pytest.mark.parametrize(
    "use", ["model(numbers)", "model.read(numbers)", "numbers @ model", "torch.tensor(model)"]
)
def test_what_an_answer_uses_may_be_unwritten(use):
    names = {"model": ..., "torch": torch}
    exec(f"def answer(numbers, power):\n    return {use}", names)
    verdict = verdict_of(names["answer"])
    assert verdict.reason == "nothing"
    assert verdict.message.startswith("`model` is still `...`. Write")


def test_not_every_ellipsis_is_something_unwritten():
    assert (
        "Something in it is still `...`" in verdict_of(lambda numbers, power: numbers + ...).message
    )
    verdict = verdict_of(lambda numbers, power: torch.einsum("i->i", numbers))
    assert (verdict.reason, "no ellipsis was given" in verdict.message) == ("error", True)


def test_where_a_network_is_asked_for_a_rule_is_refused():
    network = torch.nn.Linear(2, 2)
    task = replace(SHARE.task, answer_type="asks network", learns=False)
    with torch.no_grad():
        network.weight.copy_(torch.eye(2))
        network.bias.zero_()
    before = network.weight.clone()
    expected = returned(replace(task, answer_type="function"), right)
    record = replace(SHARE, task=task, expected=expected)

    def asks(numbers, power):
        return right(network(numbers.float()), power)

    def asks_in_vain(numbers, power):
        network(numbers.float())
        return right(numbers, power)

    assert [verdict_of(asks, record).passed for _ in range(2)] == [True, True]
    for rule in (right, asks_in_vain):
        verdict = verdict_of(rule, record)
        assert (verdict.reason, verdict.points) == ("no network", 0)
        assert "whatever networks return" in verdict.message
    assert torch.equal(before, network.weight)


def test_where_a_network_is_to_be_trained_a_rule_is_refused():
    task = replace(SHARE.task, answer_type="trains network", learns=False)
    expected = returned(replace(SHARE.task, learns=False), right)

    def trains(numbers, power):
        network = torch.nn.Linear(1, 1, bias=False)
        torch.nn.init.zeros_(network.weight)
        (-network(torch.ones(1, 1)).sum()).backward()
        torch.optim.SGD(network.parameters(), lr=1.0).step()  # it learns to return its input
        return right(network(numbers.flatten()[:, None].float()).view(2, 2), power)

    def trains_in_vain(numbers, power):
        trains(numbers, power)
        return right(numbers, power)

    record = replace(SHARE, task=task, expected=expected)
    before = torch.nn.Module.__call__
    assert verdict_of(trains, record).passed
    assert verdict_of(right, record).reason == "no network"
    assert verdict_of(trains_in_vain, record).reason == "no network"
    assert torch.nn.Module.__call__ is before


def test_where_no_network_learns_nobody_needs_a_gradient():
    task = replace(SHARE.task, learns=False)
    measured = replace(SHARE, task=task, expected=returned(task, right))
    assert not verdict_of(torch.no_grad()(right)).passed
    assert verdict_of(torch.no_grad()(right), measured).passed
    assert "a network learns through it" in SHARE.task.facts
    assert "a network learns through it" not in task.facts


@pytest.mark.parametrize(
    "answer",
    [
        lambda numbers, power: (power * torch.eye(2) @ numbers.mT / numbers.sum(-1)).mT,
        lambda numbers, power: right(numbers.view(4).view(2, 2), power),
    ],
    ids=["float32", "view"],
)
def test_precision_and_layout_of_the_inputs_are_no_trap(answer):
    turned = NUMBERS.double().mT.contiguous().mT
    precise = replace(SHARE.cases[0], inputs={"numbers": turned, "power": 1})
    assert verdict_of(answer, replace(SHARE, cases=[precise])).passed


def test_what_fails_on_plain_inputs_too_is_told_of_the_inputs_as_they_came():
    def fails(numbers, power):
        raise TypeError(numbers.dtype)

    precise = replace(SHARE.cases[0], inputs={"numbers": NUMBERS.double(), "power": 1.0})
    assert "float64" in verdict_of(fails, replace(SHARE, cases=[precise])).message


def test_no_mistake_is_named_that_shows_in_hardly_a_case():
    def columns_of_one_case(numbers, power):
        assert power == 1, "it fails in all other cases"
        return numbers / numbers.sum(0)

    def with_more(count):
        others = [replace(SHARE.cases[0], inputs={"numbers": NUMBERS, "power": 2.0})] * count
        mistaken = {name: of_each * (1 + count) for name, of_each in SHARE.mistaken.items()}
        return replace(
            SHARE,
            cases=[*SHARE.cases, *others],
            expected=SHARE.expected * (1 + count),
            mistaken=mistaken,
        )

    assert verdict_of(columns_of_one_case, with_more(1)).mistake.name == "columns"
    verdict = verdict_of(columns_of_one_case, with_more(2))
    assert (verdict.reason, verdict.mistake, verdict.relation) == ("invariant", None, "")


def test_a_parameter_that_could_not_learn_is_noticed():
    class Cut(Scale):
        def forward(self, numbers):
            return numbers * self.factors.detach(), torch.tensor(len(numbers))

    verdict = verdict_of(Cut, SCALE)
    assert verdict.reason == "gradient"
    assert "back to `factors`" in verdict.message


def test_a_module_that_is_not_what_was_asked():
    class Renamed(Scale):
        def __init__(self, width):
            super().__init__(width, name="weight")

    assert "needs a parameter `factors` of shape (2,)" in verdict_of(Renamed, SCALE).message
    assert "asks for a class" in verdict_of(right, SCALE).message
    assert "asks for a class" in verdict_of(Scale(2), SCALE).message
    plain_class = verdict_of(Misconception, SCALE)
    assert plain_class.message == (
        "`Scale` is a class, but no `nn.Module`: write `class Scale(nn.Module): …`."
    )


@pytest.mark.parametrize(
    ("guess", "reason"),
    [
        ({"sky": " Blue "}, "passed"),
        ({"sky": "green"}, "values"),
        ({"sky": "red"}, "values"),
        ({"sky": ...}, "nothing"),
        ({}, "nothing"),
        ({"sky": "plaid"}, "choice"),
        ("blue", "wrong-type"),
    ],
)
def test_choices(guess, reason):
    blue, green = (
        kind_of(GUESS).run({"sky": choice}, [Case("sky")], Printed())
        for choice in ("blue", "green")
    )
    record = Record(GUESS, [Case("sky")], blue, {"green": green})
    verdict = verdict_of(guess, record)
    assert verdict.reason == reason
    assert bool(verdict.mistake) == (guess == {"sky": "green"})
    assert "blue" not in str(record.expected)
    assert "blue" not in repr(explain(verdict)) or reason == "choice"


# --- Reasons --------------------------------------------------------------------------------------


def test_every_reason_has_words_of_its_own():
    assert all(reason.words for reason in Reason)
    assert len({reason.words for reason in Reason}) == len(Reason)


# --- On disk, and in a notebook -------------------------------------------------------------------


def write_title(path, title):
    cells = [{"source": [f"# {title}: exercises\n", "\n", "*Some tasks.*"]}]
    path.write_text(json.dumps({"cells": cells}))


@pytest.fixture
def course(monkeypatch, tmp_path):
    """Change to a folder that has a course of two exercises; return its path."""
    (tmp_path / "exercises").mkdir()
    bank.save([SHARE, SCALE], tmp_path / "exercises" / "01_toys")
    write_title(tmp_path / "exercises" / "01_toys.ipynb", "01 · Toys")
    bank.save_misconceptions([COLUMNS], tmp_path / "exercises")
    monkeypatch.setattr(bank, "FOLDER", tmp_path / "exercises")
    monkeypatch.setattr(notebook, "_hints_open", {})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_check_looks_where_it_is_called(course):
    names = {"check": check, "share": right}
    assert repr(eval('check("share")', names)).startswith("✓ Share: passed, 2 of 2 points")
    assert "There is no `Scale` yet. Run the cell" in repr(eval('check("Scale")', names))
    assert "No exercise is called 'unknown'" in repr(check("unknown"))


@pytest.mark.parametrize(
    ("command", "name", "expected"),
    [
        (check, "scale", 'Did you mean `check("Scale")`?'),
        (hint, "shares", 'Did you mean `hint("share")`?'),
        (check, "shale", 'Did you mean `check("share")` or `check("Scale")`?'),
        (hint, "01", 'Here are: `hint("share")`, `hint("Scale")`.'),
    ],
)
def test_of_an_unknown_name_the_near_ones_are_suggested(course, command, name, expected):
    assert repr(command(name)).splitlines()[1].strip() == expected


def test_a_name_without_quotes_is_told_what_to_write(course):
    assert 'Did you mean `check("share")`?' in repr(
        eval("check(share)", {"check": check, "share": right})
    )


def test_where_no_name_is_near_those_of_the_notebook_are_listed(course):
    names = {"check": check, "share": right}
    for wanted in ("", "unknown", 3):
        assert 'Here are: `check("share")`.' in repr(eval(f"check({wanted!r})", names))


def test_where_nothing_can_be_written_it_says_that_progress_is_not_kept(course, monkeypatch):
    def refuses(*_, **__):
        raise PermissionError

    names = {"check": check, "share": right}
    assert "not kept" not in repr(eval('check("share")', names))
    monkeypatch.setattr(Path, "write_text", refuses)
    assert "Your progress is not kept" in repr(eval('check("share")', names))


def test_hints_open_one_at_a_time(course):
    assert "second" not in repr(hint("share"))
    assert "third" not in repr(hint("share"))
    assert "third" in repr(hint("share"))
    assert "These are all." in repr(hint("share"))


def test_after_the_last_hint_none_is_promised(course):
    names = {"check": check, "hint": hint, "share": by_columns}
    for promised in (True, True, True, False):
        assert ("opens the next hint" in repr(eval('check("share")', names))) == promised
        hint("share")


def test_a_refusal_ends_in_a_line_to_paste(course):
    note = eval('check("share")', {"check": check, "share": by_columns})
    *above, heading, line = repr(note).splitlines()
    assert heading == "To ask for help, paste this line"
    assert line.startswith(f"  share: {above[1].strip()} ")
    assert f"<details><summary>{heading}</summary>" in note._repr_html_()
    assert heading not in repr(eval('check("share")', {"check": check, "share": right}))


def test_progress_survives_and_can_be_deleted(course):
    eval('check("share")', {"check": check, "share": right})
    eval('check("share")', {"check": check})  # a later slip does not undo it
    eval('check("Scale")', {"check": check})  # not defined: nothing was tried
    assert "Scale | 1 | to do" in repr(progress())
    eval('check("Scale")', {"check": check, "Scale": right})
    text = repr(progress())
    assert text.startswith("2 of 3 points")
    assert "Share | 2 | ✓ done" in text
    assert "Scale | 1 | tried" in text
    Path("progress.json").write_text("not json")
    assert repr(progress()).startswith("0 of 3 points")
    assert Path("progress.damaged.json").read_text() == "not json"  # nothing is lost
    Path("progress.json").write_text("not json")
    told = "`progress.json` could not be read"
    assert told in repr(eval('check("share")', {"check": check, "share": by_columns}))
    assert told not in repr(progress()), "it is told once"
    Path("progress.json").unlink()
    assert [*Path().glob(".progress*")] == []
    assert "Share | 2 | to do" in repr(progress())


def test_what_pytorch_loads_late_is_loaded_while_the_learner_reads(monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/01_attention_concepts.ipynb")
    assert notebook.warm() is None, "no test is written there, and nothing trained"
    for name, late in {
        "05_multi_head_attention": "torch.distributed.tensor",
        "06_translate_with_attention": "torch._dynamo",
    }.items():
        monkeypatch.setenv("JPY_SESSION_NAME", f"/home/{name}.ipynb")
        notebook.warm().join()
        assert late in sys.modules


def test_progress_begins_with_the_notebook_at_hand_and_draws_a_bar_for_each(course, monkeypatch):
    other = replace(SHARE, task=replace(SHARE.task, id="other", title="Other"))
    bank.save([other], course / "exercises" / "02_more_toys")
    write_title(course / "exercises" / "02_more_toys.ipynb", "02 · Toys, and more of them")
    monkeypatch.setenv("JPY_SESSION_NAME", str(course / "exercises" / "02_more_toys.ipynb"))
    eval('check("share")', {"check": check, "share": right})
    note = progress()
    first, _, _, task, *_ = repr(note).splitlines()
    assert (first, task) == ("2 of 5 points", "  02 | Other | 2 | to do")
    assert "01 · Toys | ██████░░░░ | 2 of 3 | –" in repr(note)
    assert "02 · Toys, and more of them | ░░░░░░░░░░ | 0 of 2 | –" in repr(note)
    page = note._repr_html_()
    assert page.index("Other") < page.index("██") < page.index("<details>") < page.index("Share")


def test_your_turn_counts_and_progress_ends_in_where_to_go_on(course, monkeypatch):
    folder = course / "a" / "notebooks"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    turn = replace(SHARE.task, id="turn", title="A turn", points=0, section="01.3")
    bank.save([replace(SHARE, task=turn)], course / "exercises" / bank.YOUR_TURN)
    start = repr(progress())
    assert "*Your turn*, in the notebooks: 0 of 1." in start
    place = "*A turn*, your turn in section 3 of the notebook 01 · Toys."
    assert start.endswith(f"Go on here\n  {place}")
    eval('check("turn")', {"check": check, "turn": by_columns})
    assert "0 of 1." in repr(progress())
    eval('check("turn")', {"check": check, "turn": right})
    after = repr(progress())
    assert "*Your turn*, in the notebooks: 1 of 1." in after
    assert "01 · Toys | ░░░░░░░░░░ | 0 of 3 | 1 of 1" in after
    assert after.endswith("Go on here\n  *Share*, in the exercises of 01 · Toys.")
    (course / "a" / "exercises").mkdir()
    done = {"share": {"points": 2}, "Scale": {"points": 1}}  # there, seen from the notebooks
    (course / "a" / "exercises" / "progress.json").write_text(json.dumps(done))
    assert repr(progress()).startswith("3 of 3 points")
    assert repr(progress()).endswith("Everything is done")


@pytest.mark.parametrize(
    ("cell", "names", "told"),
    [
        ("def share(scores, power): return score.softmax(0)", {"score": 2.0}, "it is a float. Did"),
        (
            "def share(numbers, power):\n    total = 1\n    return totals",
            {"totals": [1]},
            "`total`?",
        ),
        ("def share(scores, power): return score(scores)", {"score": print}, ""),
        ("def share(numbers, power): return W @ numbers", {"W": 3}, ""),
    ],
)
def test_a_name_left_over_from_another_cell_is_told_as_that(course, cell, names, told):
    scope = {"check": check, "In": ["", cell], **names}
    exec(cell, scope)
    said = repr(eval('check("share")', scope))
    assert told in said
    assert ("is left over from another cell" in said) == bool(told)


def test_a_stub_that_was_only_run_is_no_mistake(course):
    note = eval('check("share")', {"check": check, "share": lambda numbers, power: None})
    assert repr(note).startswith("○ Share: your turn")
    assert note.colour == PLAIN


def test_progress_keeps_the_best_part_of_the_points(course):
    bank.save([SHARE, TRANSLATE], course / "exercises" / "01_toys")
    Path("progress.json").write_text('{"share": true}')  # as it was kept at first
    for errors, points in ((10, 3), (3, 5), (17, 5)):
        eval('check("translate")', {"check": check, "translate": with_errors(errors)})
        text = repr(progress())
        assert text.startswith(f"{2 + points} of 8 points")
        assert f"Translate | {points} of 6 | tried" in text
        assert "Share | 2 | ✓ done" in text
    assert bank.load("translate").task == TRANSLATE.task


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "[]",
        "null",
        "3",
        '{"share": null}',
        '{"share": []}',
        '{"share": "two"}',
        '{"share": {}}',
        '{"share": {"points": "2", "kinds": "columns-first"}}',
        '{"share": {"points": NaN, "kinds": [null, 3, [], {}]}}',
        '{"share": {"points": -7, "kinds": []}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_no_reason_to_fail(course, kept):
    Path("progress.json").write_text(kept)
    assert repr(progress()).startswith("0 of 3 points")
    eval('check("share")', {"check": check, "share": right})
    assert repr(progress()).startswith("2 of 3 points")


def test_progress_tells_what_keeps_coming_back(course):
    def try_it(**answers):
        for name, answer in answers.items():
            eval(f'check("{name}")', {"check": check, name: answer})
        return progress()

    others = [replace(SHARE, task=replace(SHARE.task, id=name, title=name)) for name in "ABC"]
    bank.save([SHARE, *others], course / "exercises" / "01_toys")
    heading = "What keeps coming back"
    assert heading not in repr(try_it(A=by_columns))
    assert heading not in repr(try_it(A=by_columns)), "one task, however often"
    assert heading not in repr(try_it(B=lambda numbers, power: numbers)), "a mistake of no kind"
    note = try_it(B=by_columns)
    line = "You seem to believe that columns come first (2 tasks: A, B). Rows do."
    assert f"{heading}\n  {line}\n" in repr(note)
    assert line in re.sub(r"<[^>]+>", "", note._repr_html_())
    assert "(2 tasks: A ✓, B). Rows do." in repr(try_it(A=right))
    past = repr(try_it(B=right))
    assert "✓ Overcome in all 2 tasks: that columns come first.\n" in past
    assert "(3 tasks: A ✓, B ✓, C). Rows do." in repr(try_it(C=by_columns))


def test_few_beliefs_are_told_at_a_time(course):
    kinds = [Misconception(slug, f"{slug} is true", "It is not.") for slug in "vwxyz"]
    bank.save_misconceptions(kinds, course / "exercises")
    shown = {"share": "vwxyz", "Scale": "vwxy", "gone": "vwxyz"}
    content = {task: {"points": 0, "kinds": [*slugs, "gone"]} for task, slugs in shown.items()}
    Path("progress.json").write_text(json.dumps(content))
    assert repr(progress()).count("You seem to believe") == MOST_BELIEFS == 3


def test_html_says_what_the_text_says_and_escapes_it(course):
    verdict = verdict_of(lambda numbers, power: numbers.softmax(-1))
    note = explain(verdict)
    seen = html.unescape(re.sub(r"<[^>]+>", " ", note._repr_html_()))
    squeezed = re.sub(r"\s+", "", seen)
    for line in repr(note).splitlines():
        assert re.sub(r"[\s`]+", "", line) in squeezed
    tables = re.findall(r"<caption[^>]*>(\w+)</caption>(.*?)</table>", note._repr_html_())
    numbers = [[title, *re.findall(r">([\d.]+)</td>", cells)] for title, cells in tables]
    yours = [f"{share:.3g}" for share in NUMBERS.softmax(-1).flatten().tolist()]
    assert numbers == [["expected", "0.25", "0.75", "0.5", "0.5"], ["yours", *yours]]
    verdict = verdict_of(lambda numbers, power: numbers.nonsense("<script>"))
    assert "<script>" not in explain(verdict)._repr_html_()


def test_it_takes_its_colours_from_the_page(course):
    page = explain(verdict_of(right))._repr_html_()
    assert "background" not in page.replace("background:none", "")
    assert not re.search(r"[; \"]color:(?!inherit)", page)


def test_a_check_is_fast(course):
    names = {"check": check, "share": by_columns}
    eval('check("share")._repr_html_()', names)  # whatever is loaded at first
    start = time.perf_counter()
    eval('check("share")._repr_html_()', names)
    assert time.perf_counter() - start < 1


# --- What is handed to learners -------------------------------------------------------------------


def run_in_kernel(cells, folder, **options):
    """Run a notebook, or a list of code cells, in a kernel; return the cells with their outputs."""
    if isinstance(cells, list):
        code = [nbformat.v4.new_code_cell(source) for source in cells]
        cells = nbformat.v4.new_notebook(cells=code)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(
        cells, timeout=60, kernel_name="python3", resources=resources, **options
    ).execute()
    return cells.cells


HANDED_OUT = sorted(bank.FOLDER.glob("[0-9]*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", HANDED_OUT, ids=lambda path: path.stem[:2])
def test_an_untouched_notebook_runs_to_its_end(path, tmp_path, monkeypatch):
    course = Path(__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", str(course), prepend=os.pathsep)
    cells = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in cells.cells)
    where = nbformat.v4.new_code_cell("import utils; print(utils.__path__[0])")
    cells.cells.append(where)
    actual = [
        output.data["text/plain"]
        for cell in run_in_kernel(cells, tmp_path)
        if cell.cell_type == "code" and cell.source.startswith("check(")
        for output in cell.outputs
    ]
    assert len(actual) == len(bank.tasks()[path.stem])
    assert [text for text in actual if not text.startswith(("○", "✗")) or "Error" in text] == []
    # In the learners' zip, too, whatever else is installed.
    assert os.path.samefile(where.outputs[0].text.strip(), course / "utils")


@pytest.mark.parametrize("path", HANDED_OUT, ids=lambda path: path.stem[:2])
def test_it_asks_for_every_task(path):
    prose = nbformat.read(path, as_version=4)
    text = "\n".join(cell.source for cell in prose.cells)
    for task in bank.tasks()[path.stem]:
        assert f"*{task.facts}*" in text
        assert f'check("{task.id}")' in text


def test_a_loop_is_stopped_by_the_time_that_it_works_and_a_sleep_by_the_clock():
    def work():
        while True:
            pass

    worked = time.thread_time()
    with pytest.raises(OutOfTime), time_limit(0.2, patience=1000):
        work()
    assert 0.2 <= time.thread_time() - worked < 1
    with pytest.raises(OutOfTime), time_limit(0.2, patience=2):
        time.sleep(60)


@pytest.mark.slow
def test_in_a_real_kernel_the_line_is_shown_and_a_loop_is_stopped(tmp_path):
    """Wrong answers to a real exercise, in a real kernel, get the messages that a learner reads."""
    sources = [
        "from utils.checks import check, runner\nlimit = runner.time_limit\n"
        "runner.time_limit = lambda *_: limit(0.5)",
        "def entropy(weights):\n    return weights.entropi()\n\ncheck('entropy')",
        "def entropy(weights):\n    while True:\n        print('…')\n\ncheck('entropy')",
        "def entropy(weights):\n    return -(weights * weights.log()).sum(-1)\n\ncheck('entropy')",
    ]
    _, *cells = run_in_kernel(sources, tmp_path)
    actual = [cell.outputs[0].data["text/plain"] for cell in cells]
    assert "AttributeError" in actual[0]
    assert "line 2: return weights.entropi()" in actual[0]
    assert "still running after more than 10 seconds" in actual[1]  # what the task gives; see above
    assert "A weight of 0 gives NaN" in actual[2]
    kept = json.loads((tmp_path / "progress.json").read_text())
    assert [(task, tried["points"]) for task, tried in kept.items()] == [("entropy", 0)]


@pytest.mark.slow
def test_in_a_real_kernel_every_check_is_shown_and_an_old_definition_is_noticed(tmp_path):
    sources = {
        "from utils.checks import check\nimport torch": [],
        "def entropy(weights):\n    return torch.special.entr(weights).sum(-1)": [],
        "check('entropy')\ncheck('entropy')": ["passed", "passed"],
        "for _ in range(2):\n    check('entropy')": ["passed", "passed"],
        "check('entropy');": ["passed"],
        "one = check('entropy')": ["passed"],
        "def entropy(weights):\n    return (": ["SyntaxError"],
        "check('entropy')  # again": [r"not yet\n.*`entropy` has a syntax error.*again\.$"],
        "def entropy(weights):\n    return torch.special.entr(weights).sum(-1) * 1": [],
        "check('entropy')  # and again": [r"All \d+ cases are right\.$"],
    }
    cells = run_in_kernel([*sources], tmp_path, allow_errors=True)
    for cell, parts in zip(cells, sources.values(), strict=True):
        actual = [output.get("ename") or output.data["text/plain"] for output in cell.outputs]
        assert len(actual) == len(parts)
        assert all(re.search(part, text) for part, text in zip(parts, actual, strict=True))


@pytest.mark.slow
def test_a_plain_script_prints_what_a_check_says(tmp_path):
    script = "from utils.checks import check\nentropy = lambda weights: weights\ncheck('entropy')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(bank.FOLDER.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("✗ Entropy: not yet")


def test_texts_are_the_right_ones_or_not():
    record = replace(TRANSLATE, task=replace(TRANSLATE.task, full_marks_from=None))
    turned = verdict_of(lambda sentences: sentences[::-1], record)
    assert (turned.reason, turned.relation, turned.fault) == (Reason.VALUES, "", "")
    assert verdict_of(lambda sentences: sentences, record).passed
