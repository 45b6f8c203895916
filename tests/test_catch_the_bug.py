"""Test exercises in which learners write a test that has to find wrong implementations.

Some tests use a small made-up function, others the tasks of the course.
"""

import inspect
import linecache
import math
import random
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.made_up_tasks import task_of
from utils.checks import bank, implementations
from utils.checks.feedback import explain
from utils.checks.implementations import Implementations, otherwise_rounded
from utils.checks.kinds import kind_of
from utils.checks.kinds.referee import MOST_CALLS, Proxy, Referee, answer_of, answer_to, refusal
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on
from utils.checks.runner import AnswerError
from utils.checks.tasks import Answer, Case, Mistake, Reason, Record

TOYS = Implementations(
    right=[lambda numbers, times=2: numbers.exp() * times],
    broken={
        "constant-factor": lambda numbers, times=2: numbers.exp() * 3,
        "formula-is-safe": lambda numbers, times=2: 1 / (1 / numbers),
        "opposite": lambda numbers, times=2: (-numbers).exp() * times,
        "shape-is-enough": lambda numbers, times=2: numbers.exp()[0] * times,
    },
)
NAMES = [*TOYS.implementations]
BROKEN = [name in TOYS.broken for name in NAMES]


def catching(*names):
    blames = np.array([[name in names for name in NAMES]] * 3)
    return [Answer({"blames": blames, "shown": np.array([BROKEN] * 3)})]


RECORD = Record(
    task_of(
        "test_grow",
        ["blames", "shown"],
        [
            Mistake("nothing", "It asserts nothing.", "What could fail?"),
            Mistake("shape", "It looks at the shape.", "And the numbers?"),
            Mistake("one place", "It looks at one place.", "And the others?"),
            Mistake("digits", "It wants every digit.", "How many are needed?"),
            Mistake("expectation", "It expects something wrong.", "What is right?"),
        ],
        points=2,
        answer_type="test",
        seconds=1.0,
    ),
    [Case("all", {"lineup": NAMES, "seeds": [1, 2, 3], "order": 4})],
    [Answer({"blames": np.array([BROKEN] * 3), "shown": np.array([BROKEN] * 3)})],
    {
        "nothing": catching(),
        "shape": catching("shape-is-enough"),
        "one place": catching("constant-factor", "opposite", "shape-is-enough"),
        "digits": catching(*TOYS.broken, "right 2"),
        "expectation": catching(*NAMES),
    },
)


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    monkeypatch.setattr(implementations, "of", lambda task: TOYS)


def verdict_of(test):
    return verdict_on(RECORD, {"test_grow": test}, Printed())


NUMBERS = torch.tensor([0.5, 1.0, 2.3])


def good(grow):
    assert torch.allclose(grow(NUMBERS), NUMBERS.exp() * 2)
    assert torch.allclose(grow(NUMBERS, times=5), NUMBERS.exp() * 5)


def test_a_test_that_tells_all_apart_passes():
    verdict = verdict_of(good)
    assert (verdict.passed, verdict.points, verdict.mistake) == (True, 2, None)
    assert "accepts the right implementation and catches all 4 broken ones." in verdict.message


def asserts_nothing(grow):
    grow(NUMBERS)


def swallows_everything(grow):
    try:
        good(grow)
    except:  # noqa: E722
        return


def at_zero(grow):
    assert float(grow(torch.zeros(1)).sum()) in (2.0, math.inf)


def the_shape(grow):
    assert grow(NUMBERS).shape == (3,)


@pytest.mark.parametrize(
    ("test", "points", "mistake", "caught", "slips"),
    [
        (asserts_nothing, 0, "nothing", "none of 4", 4),
        (swallows_everything, 0, "nothing", "none of 4", 4),
        (the_shape, 0, "shape", "1 of 4", 3),
        (at_zero, 1, "shape", "2 of 4", 2),
    ],
)
def test_what_slips_through_is_named_and_what_is_caught_counts(
    test, points, mistake, caught, slips
):
    verdict = verdict_of(test)
    assert (verdict.reason, verdict.points) == ("slips", points)
    assert f"catches {caught} broken ones." in verdict.message
    assert len(verdict.slips) == slips
    text = repr(explain(verdict))
    assert f"somebody who believes that {bank.misconceptions()[verdict.slips[0]].belief}." in text
    assert ("And 1 more." in text) == (slips == 4)
    assert verdict.mistake is None or verdict.mistake.explanation in text


def to_the_last_digit(grow):
    numbers = torch.arange(1, 60) / 7
    assert torch.equal(grow(numbers), numbers.exp() * 2), "every digit"


def expects_something_wrong(grow):
    assert grow(NUMBERS).sum() == 7


def by_chance(grow):
    grow(NUMBERS)
    assert torch.initial_seed() != 2


def gets_its_own_name_wrong(grow):
    grown(NUMBERS)


def leaves(grow):
    grow(NUMBERS)
    sys.exit(2)


@pytest.mark.parametrize(
    ("test", "mistake", "part"),
    [
        (to_the_last_digit, "digits", "accepts one right implementation and blames another"),
        (expects_something_wrong, "expectation", "blames the right implementation, and so"),
        (by_chance, None, "now and then"),
        (gets_its_own_name_wrong, None, "ends early: NameError: name 'grown' is not defined"),
        (leaves, None, "ends early: SystemExit: 2"),
    ],
)
def test_whoever_blames_the_right_one_earns_nothing(test, mistake, part):
    verdict = verdict_of(test)
    assert (verdict.reason, verdict.points) == ("blames", 0)
    assert part in verdict.message
    assert (verdict.mistake and verdict.mistake.name) == mistake


def test_a_test_whose_own_formula_differs_in_the_last_digit_is_told_so():
    """It blames all right implementations, as it rounds otherwise than each of them."""

    def otherwise(grow):
        numbers = torch.arange(1, 60) / 7
        assert (grow(numbers).double() == numbers.double().exp() * 2).all()

    verdict = verdict_of(otherwise)
    assert verdict.mistake.name == "digits"
    assert "With a tolerance, your test would accept the right implementation" in verdict.relation
    assert "With a tolerance" not in verdict_of(expects_something_wrong).relation


def relation(test):
    """Return what is said of a test if no weak test is known."""
    record = replace(RECORD, task=replace(RECORD.task, mistakes=[]), mistaken={})
    return verdict_on(record, {"test_grow": test}, Printed()).relation


def of_the_opposite(grow):
    assert torch.allclose(grow(NUMBERS), (-NUMBERS).exp() * 2)


def test_whom_a_test_takes_for_right_is_told():
    assert verdict_of(of_the_opposite).mistake is None  # "expectation" accepts none
    assert relation(of_the_opposite) == (
        "It accepts only the implementation by somebody who believes that "
        f"{bank.misconceptions()['opposite'].belief}."
    )
    assert relation(expects_something_wrong).startswith("None of our implementations passes it")
    assert relation(by_chance) == ""


def test_whether_inputs_or_asserts_let_bugs_slip_through_is_found_out():
    def only_at_zero(grow):
        assert grow(torch.zeros(3)).sum() == 6

    assert relation(the_shape).startswith("With your inputs, all that slips through returns other")
    assert relation(only_at_zero).startswith(
        "With your inputs, all that slips through returns what"
    )


def test_a_weak_test_is_not_recognised_where_the_inputs_say_otherwise():
    """It lets the same bugs through, but its inputs show them: its asserts are weak."""
    broken = np.array([BROKEN] * 3)
    weak = [Answer({"blames": broken & False, "shown": broken & False})]
    weak[0].outputs["blames"][:, NAMES.index("opposite")] = True
    record = replace(RECORD, mistaken=dict.fromkeys(RECORD.mistaken, weak))

    def by_its_trend(grow):
        numbers = grow(NUMBERS)
        assert numbers.dim() == 0 or numbers[-1] > numbers[0]

    verdict = verdict_on(record, {"test_grow": by_its_trend}, Printed())
    assert (verdict.reason, verdict.mistake) == ("slips", None)
    shown = [Answer({**weak[0].outputs, "shown": broken})]
    record = replace(RECORD, mistaken=dict.fromkeys(RECORD.mistaken, shown))
    assert verdict_on(record, {"test_grow": by_its_trend}, Printed()).mistake


def test_what_slips_through_beside_a_known_gap_is_told_of_if_the_inputs_show_it():
    slips = verdict_of(the_shape).slips
    broken = np.array([BROKEN] * 3)
    weak = [Answer({"blames": broken.copy(), "shown": broken})]
    weak[0].outputs["blames"][:, [NAMES.index(name) for name in slips[1:]]] = False
    record = replace(RECORD, mistaken=dict.fromkeys(RECORD.mistaken, weak))
    verdict = verdict_on(record, {"test_grow": the_shape}, Printed())
    assert verdict.mistake
    assert verdict.relation.startswith(f"Of those that slip through, {len(slips)} can be seen with")


def test_one_that_asserts_nothing_is_told_so_whatever_its_inputs_show():
    """With a 0 the opposite does not show."""

    def nothing(grow):
        grow(torch.zeros(3))

    assert verdict_of(nothing).mistake.name == "nothing"


def test_the_message_and_the_line_of_an_assertion_are_shown():
    names = {"torch": torch, "NUMBERS": NUMBERS}
    cell = "def test_grow(grow):\n    assert grow(NUMBERS).sum() < 0, 'all is well'"
    verdict = in_a_cell(cell, names)
    assert "It says: all is well" in verdict.message
    assert verdict.where == (
        "In your code, `line 2: assert grow(NUMBERS).sum() < 0, 'all is well'`."
    )


def in_a_cell(source, names):
    linecache.cache["<cell>"] = len(source), None, source.splitlines(keepends=True), "<cell>"
    exec(compile(source, "<cell>", "exec"), names)
    return verdict_of(names["test_grow"])


def test_whatever_ends_a_test_early_counts_as_blame():
    def by_leaving(grow):
        if not torch.allclose(grow(NUMBERS), NUMBERS.exp() * 2):
            sys.exit()
        if not torch.allclose(grow(NUMBERS, 5), NUMBERS.exp() * 5):
            raise KeyError

    assert verdict_of(by_leaving).passed


def too_often(grow):
    for _ in range(1000):
        grow(NUMBERS)


def too_often_and_quiet_about_it(grow):
    for _ in range(1000):
        try:
            grow(NUMBERS)
        except Exception:
            continue


def for_ever(grow):
    while True:
        try:
            grow(NUMBERS)
        except BaseException:
            continue


@pytest.mark.parametrize(
    ("test", "reason", "part"),
    [
        (lambda grow: ..., "nothing", "`test_grow` never calls `grow`"),
        (lambda grow: bool(grow(NUMBERS).sum()), "type", "returns a bool, and nobody looks at it"),
        (too_often, "calls", f"`grow` may be called {MOST_CALLS} times in a test"),
        (too_often_and_quiet_about_it, "calls", f"`grow` may be called {MOST_CALLS} times"),
        (lambda grow: grow(torch.zeros(50, 50)).sum, "calls", "2,000 numbers at most"),
        (NUMBERS, "wrong-type", "asks for a function: `def test_grow(…): …`"),
    ],
)
def test_what_is_no_test_gets_one_clear_message(test, reason, part):
    verdict = verdict_of(test)
    assert (verdict.reason, verdict.points) == (reason, 0)
    assert part in verdict.message


def test_a_worker_that_complains_earns_nothing_whatever_decisions_it_sends():
    error = AnswerError(Reason.NO_NETWORK, "")  # which comes after all answers, elsewhere
    verdict = kind_of(RECORD.task).diagnose(RECORD, RECORD.expected, error)
    assert (verdict.reason, verdict.points) == (Reason.NO_NETWORK, 0)


def test_a_test_that_never_ends_is_stopped():
    record = replace(RECORD, task=replace(RECORD.task, seconds=0.2))
    verdict = verdict_on(record, {"test_grow": for_ever}, Printed())
    assert (verdict.reason, verdict.points) == ("time", 0)
    assert "still running after more than 0.2 seconds" in verdict.message


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (torch.zeros(2000), ""),
        (torch.zeros(2001), "2,000 numbers"),
        (torch.zeros(1, 2001, 0), "2,000 numbers"),
        (torch.zeros(1).expand(10**9), "2,000 numbers"),
        ([[1.0] * 1001, [None] * 997], "2,000 numbers"),
        (100, ""),
        (1001, "whole numbers from -1,000 to 1,000"),
        (torch.tensor([3, -1001]), "whole numbers"),
        (torch.tensor([-(2**63)]), "whole numbers"),
        (1e9, ""),
        (math.nan, ""),
        (True, ""),
        (torch.tensor([True]), ""),
        ("name", "takes tensors"),
        (np.zeros(3), "takes tensors"),
        ({}, "takes tensors"),
        (torch.zeros(3, dtype=torch.float16), "takes tensors"),
        (torch.zeros(3, device="meta"), "takes tensors"),
        (torch.zeros(3, 3).to_sparse(), "takes tensors"),
    ],
)
def test_what_may_be_asked(value, part):
    assert (part in refusal(1, [value])) if part else refusal(1, [value]) == ""


def test_what_a_call_may_become_is_limited_too():
    """Few numbers make many where each tensor has an axis of its own."""
    q, k, v = torch.zeros(650, 1, 1, 1), torch.zeros(1, 650, 1, 1), torch.zeros(1, 1, 650, 1)
    assert "may meet" in refusal(1, [q, k, v])
    assert "may meet" in refusal(1, [[q, [k]], v[:, :0]])
    assert "4 axes" in refusal(1, [q[None]])
    assert refusal(1, [torch.zeros(1, 5, 64)] * 3) == ""  # wide, but honest
    assert refusal(1, [torch.zeros(4, 6, 16), *[torch.zeros(16, 16)] * 4, 4]) == ""


def test_an_implementation_that_raises_hands_back_its_exception():
    found = []

    def test(grow):
        for arguments in [(NUMBERS, 1, 2), (None,)]:
            try:
                grow(*arguments)
            except Exception as error:
                found.append(type(error))

    verdict_of(test)
    assert found[:2] == [TypeError, AttributeError]


def test_inputs_and_results_are_copies_without_gradients():
    given = NUMBERS.clone().requires_grad_()

    def test(grow):
        returned = grow(given)
        assert not returned.requires_grad
        returned += 1
        assert torch.equal(given, NUMBERS)

    verdict_of(test)


def asked(function, *arguments):
    """Call a function as a learner's test does, through a `Proxy`, and return the result."""
    referee = Referee(
        "test_grow",
        RECORD.cases[0],
        answer=lambda _, name, *call: (answer_of(function, *call), True),
    )
    return Proxy(referee)(*arguments)


def test_an_implementation_changes_neither_inputs_nor_dice():
    kept, state = torch.zeros(3), torch.get_rng_state()
    assert asked(lambda numbers: numbers.add_(1), kept).sum() == 3
    assert kept.sum() == 0
    asked(lambda: torch.rand(3))
    assert torch.equal(torch.get_rng_state(), state)
    assert asked(lambda: [1, None, True]) == (1, None, True)


def test_dice_fall_alike_in_each_check_and_leave_no_trace():
    drawn = []

    def test(grow):
        drawn.append((random.random(), np.random.rand(), float(torch.rand(()))))  # noqa: NPY002
        torch.manual_seed(0)
        good(grow)

    states = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state()  # noqa: NPY002
    assert verdict_of(test).passed
    first = [*drawn]
    drawn.clear()
    assert verdict_of(test).passed
    assert drawn == first
    assert len(set(drawn)) == 3  # as many as rounds
    assert random.getstate() == states[0]
    assert np.random.get_state()[1].tolist() == states[1]  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), states[2])


def test_prints_are_counted_and_cost_nothing(capsys):
    def test(grow):
        print("looking")
        good(grow)

    printed = Printed()
    assert verdict_on(RECORD, {"test_grow": test}, printed).passed
    assert printed.lines == 3 * len(NAMES)
    assert capsys.readouterr().out == ""


def test_whom_a_test_catches_by_chance_slips_through():
    def test(grow):
        if torch.initial_seed() != 2:
            good(grow)
        grow(NUMBERS)

    verdict = verdict_of(test)
    assert (verdict.points, len(verdict.slips)) == (0, 4)
    assert "depends on chance" in verdict.message


def test_an_order_that_is_drawn_changes_no_answer():
    orders = []

    def noted(task, name, *call):
        orders[-1].append(name)
        return answer_to(task, name, *call)

    for shuffle in (None, random.Random(1), random.Random(2)):
        orders.append([])
        referee = Referee("test_grow", RECORD.cases[0], shuffle, noted)
        kind = kind_of(RECORD.task, lambda _, referee=referee: referee)
        (answer,) = kind.run(the_shape, RECORD.cases, Printed())
        (known,) = RECORD.mistaken["shape"]
        assert np.array_equal(answer.outputs["blames"], known.outputs["blames"])
    assert orders[0] != orders[1] != orders[2]
    assert all(order[0] in TOYS.broken for order in orders)


# --- The implementations of the course ------------------------------------------------------------

COURSE = sorted(
    file.stem.removeprefix("buggy_")
    for file in Path(implementations.__path__[0]).glob("buggy_*.py")
)


@pytest.mark.parametrize("name", COURSE)
def test_bugs_are_those_of_known_misconceptions(name, monkeypatch):
    monkeypatch.undo()
    known = implementations.of(f"test_{name}")
    assert 5 <= len(known.broken) <= 9
    assert known.broken.keys() <= bank.misconceptions().keys()
    assert bank.load(f"test_{name}").cases[0].inputs["lineup"] == [*known.implementations]


def drawn(dice):
    """Draw an argument of a call that may make no sense."""
    shape = dice.choice([(2, 2), (3,), (1, 1), (2, 3, 2), (2, 2, 2), (1, 2, 4), (4, 4), ()])
    makers = [torch.zeros, torch.ones, lambda size: torch.zeros(size) > 0, lambda size: None]
    return dice.choice(makers)(shape) if dice.random() < 0.9 else dice.choice([0, 1, 2])


@pytest.mark.parametrize("name", COURSE)
def test_what_the_right_one_refuses_tells_none_from_another(name, monkeypatch):
    monkeypatch.undo()
    task, dice, refused = f"test_{name}", random.Random(1), 0
    known = implementations.of(task)
    for _ in range(300):
        given = [drawn(dice) for _ in inspect.signature(known.right[0]).parameters]
        if "raised" in answer_of(known.right[0], given, {}):
            refused += 1
            replies = [answer_to(task, each, given, {}) for each in known.implementations]
            assert all(reply == replies[0] for reply in replies), given
    assert refused > 100


def test_all_that_fail_where_the_right_one_does_not_fail_alike():
    failing = {
        "opposite": lambda numbers: numbers.no_such_method(),
        "constant-factor": lambda numbers: numbers @ torch.zeros(7),
    }
    toys = replace(TOYS, broken={**TOYS.broken, **failing})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(implementations, "of", lambda task_id: toys)
        replies = [answer_to("test_grow", each, [NUMBERS], {}) for each in failing]
    assert replies[0] == replies[1]
    assert "raised" in replies[0][0]


def test_otherwise_rounded_the_last_digits_differ_and_nothing_else():
    numbers = torch.arange(1, 60) / 7
    rounded = otherwise_rounded(torch.exp)(numbers)
    assert (rounded != numbers.exp()).all()
    assert torch.allclose(rounded, numbers.exp(), rtol=2e-7, atol=0)
    whole = torch.tensor([0.0, 1.0, -3.0])
    assert torch.equal(otherwise_rounded(torch.clone)(whole), whole)
    assert otherwise_rounded(lambda count: count + 1)(2) == 3
    pair = otherwise_rounded(lambda n, keep: (n, keep))(numbers, keep=torch.tensor([True]))
    assert [values.dtype for values in pair] == [torch.float32, torch.bool]
