"""Test, on small made-up tasks, how answers are judged, and what the learner is told.

Every wrong answer gets exactly one message.
"""

import importlib
import signal
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from tests.made_up_tasks import (
    NUMBERS,
    SCALE,
    SHARE,
    SHARES,
    TRANSLATE,
    Scale,
    answer_of,
    by_columns,
    right,
    task_of,
    verdict_of,
    with_errors,
)
from utils.checks import notebook
from utils.checks.compare import INVARIANTS
from utils.checks.feedback import explain
from utils.checks.kinds import kind_of, values
from utils.checks.limits import OutOfTime, Printed, time_limit
from utils.checks.notebook import verdict_on
from utils.checks.tasks import (
    Answer,
    Case,
    Misconception,
    Mistake,
    Reason,
    Record,
)


def tables_of(right, columns, tables=None, **more):
    """Return a record of tables of numbers, one for each case, whose mistake is `COLUMNS`.

    Args:
        right: outputs of the right answer by name, for each case.
        columns: those of the mistake.
        tables: the inputs.
        more: arguments of the task.
    """
    tables = tables or [NUMBERS]
    return Record(
        task_of("share", [*right[0]], SHARE.task.mistakes, **more),
        [Case(f"table {n}", {"numbers": x}) for n, x in enumerate(tables)],
        [*map(answer_of, right)],
        {"columns": [*map(answer_of, columns)]},
    )


def returned(task, answer):
    return kind_of(task).run(answer, SHARE.cases, Printed())


# --- Right answers, and wrong ones that run -------------------------------------------------------


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


@pytest.mark.parametrize("first", [True, False])
def test_a_known_mistake_is_told_where_no_other_fault_hides_it(first):
    """The answer also gives NaN for large numbers, which the mistake leaves finite."""
    odd = Case("large numbers", {"numbers": 1e30 * NUMBERS, "power": 1.0})
    record = replace(
        SHARE,
        cases=[odd, *SHARE.cases] if first else [*SHARE.cases, odd],
        expected=SHARE.expected * 2,
        mistaken={"columns": SHARE.mistaken["columns"] * 2},
    )
    verdict = verdict_of(lambda numbers, power: numbers.pow(2).sqrt() / numbers.sum(0), record)
    assert verdict.mistake.name == "columns"
    assert verdict.evidence.case.label == "a small table"
    blown_up = verdict_of(lambda numbers, power: right(numbers**2, 0.5), record)
    assert (blown_up.mistake, blown_up.reason) == (None, "not finite")


def test_what_is_seen_belongs_to_the_mistake_that_is_named():
    def outputs(numbers, axis):
        return {"shares": numbers / numbers.sum(axis, keepdim=True), "total": numbers.sum()}

    tables = [torch.ones(2, 2), NUMBERS]  # in the first, rows and columns have one sum
    record = tables_of(*([outputs(x, axis) for x in tables] for axis in (1, 0)), tables)
    verdict = verdict_of(lambda numbers: (numbers / numbers.sum(0), numbers.sum() + 1), record)
    assert verdict.mistake.name == "columns"
    assert (verdict.evidence.case.label, verdict.evidence.output) == ("table 1", "shares")
    assert verdict.right == (
        "`total` is wrong, too. With this fault alone that need not be so: see what mending it "
        "leaves."
    )


def test_a_shape_that_is_right_by_chance_is_not_called_right():
    tables = [NUMBERS, torch.arange(6.0).reshape(2, 3).square()]  # the first has as many rows
    right, turned = ([{"shares": y} for y in x] for x in (tables, [each.mT for each in tables]))
    record = tables_of(right, turned, tables)
    verdict = kind_of(record.task).diagnose(record, [*map(answer_of, turned)])
    assert verdict.message == (
        "`shares` has wrong values here, and in some cases its shape is wrong, too: there, lengths "
        "differ that happen to be alike here."
    )
    cut = [{"shares": tables[0] + 1}, {"shares": tables[1][:1]}]
    assert kind_of(record.task).diagnose(record, [*map(answer_of, cut)]).message == (
        "`shares` has wrong values here, and in some cases its shape is wrong, too."
    )
    plain = verdict_of(lambda numbers: numbers + 1, record)
    assert plain.message == "`shares` has the right shape and the wrong values."


def test_a_mistake_that_explains_one_output_is_told_of_that():
    def outputs(axis):
        shares = NUMBERS / NUMBERS.sum(axis, keepdim=True)
        return {"shares": shares, "squares": shares.square()}

    record = tables_of([outputs(1)], [outputs(0)])
    verdict = verdict_of(lambda numbers: (outputs(0)["shares"], numbers), record)
    assert verdict.mistake.explanation.startswith("Told of `shares`: ")
    assert verdict.right == (
        "`squares` is wrong, too, and this may not be the only reason: see what mending it leaves."
    )


def test_a_mistake_that_two_outputs_speak_against_is_not_named():
    """The answer shares its first output with a mistake, which has the total right."""

    def outputs(divide):
        return {"one": divide(NUMBERS), "two": divide(NUMBERS * 2), "total": NUMBERS.sum()}

    columns = outputs(lambda x: x / x.sum(0))
    record = tables_of([outputs(lambda x: x / x.sum(1, keepdim=True) + x)], [columns])
    one, two, total = columns.values()
    for given, named in (
        ((one, two, total + 1), True),
        ((one, 3 * two, total), True),
        ((one, 3 * two, total + 1), False),
    ):
        assert bool(verdict_of(lambda numbers, given=given: given, record).mistake) == named


def test_a_mistake_that_would_make_a_right_case_wrong_is_not_named():
    """The first output is as with a mistake; the second is right, but where a row is empty."""

    def outputs(numbers, axis, fill=0.0):
        shares = numbers.abs() / numbers.abs().sum(axis, keepdim=True)
        return {"mean": (shares @ numbers.mT).nan_to_num(0), "shares": shares.nan_to_num(fill)}

    tables = [NUMBERS, 3 + NUMBERS.mT, torch.tensor([[0.0, 0.0], [2.0, 5.0]])]
    right, wrong = ([outputs(x, axis) for x in tables] for axis in (1, 0))
    record = tables_of(right, wrong, tables)
    filled = [{**outputs(x, 0), "shares": outputs(x, 1, fill=0.5)["shares"]} for x in tables]
    for given, named in ((wrong, True), (filled, False)):
        verdict = kind_of(record.task).diagnose(record, [*map(answer_of, given)])
        assert bool(verdict.mistake) == named


def test_of_what_nan_hides_a_mistake_says_nothing():
    """Where all numbers are finite, the answer is as with a mistake. Why there is NaN, is open."""
    tables = [NUMBERS, 3 + NUMBERS.mT]
    right, wrong = ([{"shares": x / x.sum(axis, keepdim=True)} for x in tables] for axis in (1, 0))
    record = tables_of(right, wrong, tables)
    wrong[1]["shares"] = wrong[1]["shares"] * torch.nan
    verdict = kind_of(record.task).diagnose(record, [*map(answer_of, wrong)])
    finite = "Told of the cases in which all your numbers are finite: "
    assert verdict.mistake.explanation == finite + record.task.mistakes[0].explanation
    assert verdict.right.startswith("Your NaN, or infinity, in other cases may come from this, or")


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

    right, wrong = (
        [{"shares": NUMBERS / NUMBERS.sum(axis, keepdim=True), "copy": torch.as_tensor(SHARES)}]
        for axis in (1, 0)
    )
    record = tables_of(right, wrong, invariants={"copy": ["rows sum to 1"]})
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


# --- Part of the points ---------------------------------------------------------------------------


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


def test_texts_are_the_right_ones_or_not():
    record = replace(TRANSLATE, task=replace(TRANSLATE.task, full_marks_from=None))
    turned = verdict_of(lambda sentences: sentences[::-1], record)
    assert (turned.reason, turned.relation, turned.fault) == (Reason.VALUES, "", "")
    assert verdict_of(lambda sentences: sentences, record).passed


# --- Modules and choices --------------------------------------------------------------------------


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


GUESS = task_of(
    "guess",
    ["sky"],
    [Mistake("green", "Grass is green.", "Look up.")],
    answer_type="choices",
    choices={"sky": ["blue", "green", "red"]},
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
