"""Test the sentence that describes an unforeseen wrong answer, such as "is the right one times 2".

It has to be true of the answer; if nothing true is found, nothing is said.
"""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from utils.checks.diagnosis import measure_moves, relations
from utils.checks.diagnosis.behaviours import otherwise
from utils.checks.feedback import in_words
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on
from utils.checks.runner import AnswerError, Rerun
from utils.checks.tasks import Answer, Case, Mistake, Record, Task, Trial


def attend(query, keys, values, mask=None, *, width=None):
    """Return context and weights: the right answer to the task of most tests here.

    The scores are divided by the square root of `width`, by default the query's width.
    """
    scores = query @ keys.mT / math.sqrt(width or query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -1e30)
    weights = scores.softmax(-1)
    return weights @ values, weights


def cases():
    draw = torch.Generator().manual_seed(0)

    def numbers(*shape):
        return torch.randint(-200, 201, shape, generator=draw) / 100

    sizes = [(2, 3, 4, 5, 6), (3, 2, 5, 7, 2), (2, 4, 3, 6, 5), (4, 3, 6, 3, 7)]
    made = []
    for number, (batch, tgt_len, src_len, width, value_dim) in enumerate(sizes):
        lengths = torch.arange(batch) % (src_len - 1) + 1
        inputs = {
            "query": numbers(batch, tgt_len, width),
            "keys": numbers(batch, src_len, width),
            "values": numbers(batch, src_len, value_dim),
            "mask": torch.arange(src_len) < lengths[:, None],
        }
        made.append(Case(f"case {number}", inputs))
    made.append(Case("nothing to hide", {**made[0].inputs, "mask": torch.ones(2, 4).bool()}))
    return made


TASK = Task(
    id="attend",
    title="Attend",
    points=1,
    difficulty=1,
    minutes=5,
    outputs=["context", "weights"],
    hints=["first", "second", "third"],
    mistakes=[],
)
GAIN = replace(TASK, id="gain", outputs=["gain"])
CASES = cases()
RECORD = Record(TASK, CASES, kind_of(TASK).run(attend, CASES, Printed()), {})
RECORD = replace(RECORD, moves=measure_moves(RECORD, Rerun(TASK, attend)))


def given(change):
    """Return what an answer returns whose outputs are `change` of the right context and weights."""
    names = TASK.outputs
    return [
        Answer(dict(zip(names, change(*map(each.outputs.get, names)), strict=True)))
        for each in RECORD.expected
    ]


DOUBLED = given(lambda context, weights: (2 * context, 2 * weights))


def knowing(mistaken, record=RECORD):
    """Return the record that knows mistakes.

    Args:
        mistaken: name of the mistake, which also describes it → what it returns in each case.
        record: record of the task.
    """
    mistakes = [Mistake(name, f"{name}.", "?") for name in mistaken]
    return replace(record, task=replace(record.task, mistakes=mistakes), mistaken=mistaken)


def record_of(name, right, cases=CASES, moving=False):
    """Return the record of a new task.

    Args:
        name: names of the outputs, separated by spaces; the first is also the task's id.
        right: the right answer, a function.
        cases: the inputs that it is run on.
        moving: whether to record also how the outputs change when the inputs do.
    """
    names = name.split()
    task = replace(TASK, id=names[0], outputs=names)
    record = Record(task, cases, kind_of(task).run(right, cases, Printed()), {})
    return replace(record, moves=measure_moves(record, Rerun(task, right))) if moving else record


def cases_of(make):
    """Return cases with one input, x, which is `make` of the query of each of `CASES`."""
    return [Case(case.label, {"x": make(case.inputs["query"])}) for case in CASES]


def relation(answer, record=RECORD):
    verdict = verdict_on(record, {record.task.id: answer}, Printed())
    assert not verdict.passed
    return verdict.relation


def test_an_output_that_is_an_input_is_told_so():
    def unchanged(query, keys, values, mask):
        return values, query @ keys.mT

    assert relation(unchanged) == "In each case, `context` is `values` as it was given."


def diagnose(record, answers, error=None):
    return kind_of(record.task).diagnose(record, answers, error)


def relation_of_arrays(actual, expected):
    """Return what feedback says about the arrays `actual`, if `expected` would be right.

    Both are lists with an array for each case.
    """
    right, given = ([Answer({"gain": values}) for values in each] for each in (expected, actual))
    return diagnose(Record(GAIN, (2 * CASES)[: len(expected)], right, {}), given).relation


def of_weights(change):
    """Return an answer with the right context and with `change` of the right weights."""

    def answer(query, keys, values, mask):
        weights = change(attend(query, keys, values, mask)[1])
        return attend(query, keys, values, mask)[0], weights

    return answer


SOFTMAX_OF = "`weights` is the softmax of the numbers that right answers take it of, each"
RELATIONS = {
    "scrambled": (
        of_weights(lambda weights: weights.sort(-1)[0]),
        "`weights` holds the right numbers, but not in their places.",
    ),
    "in bits": (
        of_weights(lambda weights: weights / math.log(2)),
        "`weights` is the right one divided by log 2 (0.693…).",
    ),
    "a size and a number": (
        of_weights(lambda weights: 2 * weights / weights.shape[-1]),
        "`weights` is the right one times 2 and divided by the length of axis 1 of `keys`.",
    ),
    "no scale": (
        partial(attend, width=1),
        "`weights` is the softmax of the numbers that right answers take it of, each times the "
        "square root of the length of the last axis of `query`.",
    ),
    "another scale": (
        lambda query, keys, values, mask: attend(query, keys, values, mask, width=keys.shape[1]),
        "`weights` is the softmax of the numbers that right answers take it of, each divided by "
        "the square root of the length of axis 1 of `keys` and times that of the length of the "
        "last axis of `query`.",
    ),
    "proportional": (
        of_weights(lambda weights: 3 * weights.square()),
        "Where `weights` should not be 0, its rows are in proportion to the softmax of the numbers "
        "that right answers take it of, each times 2. And its rows have other sums than they "
        "should.",
    ),
    "not a number in one case": (
        of_weights(lambda weights: weights if len(weights) < 4 else weights / 0),
        "`weights` is right in all cases but these: case 3.",
    ),
    "in one case": (
        of_weights(lambda weights: weights if len(weights) < 4 else weights.cumsum(-1).cos()),
        "`weights` is right in all cases but these: case 3.",
    ),
    "something where nothing should be": (
        of_weights(lambda weights: torch.where(weights == 0, 0.01, weights)),
        "`weights` is right except at places where it should be exactly 0.",
    ),
    "nothing where something should be": (
        of_weights(lambda weights: torch.where(weights < 0.1, 0.0, weights)),
        "`weights` is right except at places where it is 0 and should not be.",
    ),
    "another axis": (
        of_weights(lambda weights: (weights + 0.1) / (weights + 0.1).sum(1, keepdim=True)),
        "`weights` sums to 1 along axis 1, and should along its last axis.",
    ),
    "the wrong order": (
        lambda *inputs: attend(*inputs)[::-1],
        "`context` and `weights` are returned in each other's place: exchanged, all of them are "
        "right.",
    ),
}


@pytest.mark.parametrize(("answer", "expected"), RELATIONS.values(), ids=RELATIONS)
def test_values_that_are_related_to_the_right_ones(answer, expected):
    assert relation(answer) == expected


def bits(answer, right):
    """Return what feedback says about a wrong function from the mask of a case to booleans.

    `right` is the right function.
    """
    masks = [Case(case.label, {"mask": case.inputs["mask"]}) for case in CASES]
    return relation(answer, record_of("hides", right, masks))


def test_what_is_wrong_one_way_only_is_told():
    def some(mask):
        return torch.rand(mask.shape, generator=torch.Generator().manual_seed(3)) > 0.5

    for wrong, expected in (
        (lambda mask: mask | some(mask), "`hides` is `True` wherever it should be, and in"),
        (lambda mask: mask & some(mask), "`hides` is `True` only where it should be, but lacks"),
        (lambda mask: mask ^ some(mask), ""),
    ):
        assert bits(wrong, lambda mask: mask).startswith(expected)


def test_by_what_a_count_is_off_in_each_case_is_told():
    def count(dim, hidden):
        return torch.tensor(dim * hidden + hidden + dim)

    sizes = [(2, 3), (4, 7), (5, 5), (8, 3)]
    record = record_of("count", count, [Case(f"{a}", {"dim": a, "hidden": b}) for a, b in sizes])
    for lost, words in (
        (lambda dim, hidden: hidden, "small by `hidden`"),
        (lambda dim, hidden: -2 * dim * hidden, "large by 2 · `dim` · `hidden`"),
        (lambda dim, hidden: 7, "small by 7"),
    ):
        told = relation(lambda *each, lost=lost: count(*each) - lost(*each), record)
        assert told == f"`count` is too {words} in each case."
    assert relation(lambda dim, hidden: count(dim, hidden) - dim % 3 - 1, record) == ""


def test_being_right_where_all_answers_are_alike_is_no_evidence():
    def right(mask):
        return mask & (mask.shape[1] == 5)  # it is `False` everywhere but in case 1

    assert bits(lambda mask: mask & False, right) == ""
    assert bits(lambda mask: mask if mask.shape[1] != 4 else ~mask, lambda mask: mask) == (
        "`hides` is right in all cases but these: case 0; nothing to hide."
    )


def test_a_case_that_no_known_mistake_fails_is_no_evidence():
    def answer(query, keys, values, mask):
        context, weights = attend(query, keys, values, mask)
        return context, weights if len(query) > 2 else weights.cumsum(-1).cos()

    fooled = given(lambda context, weights: (5 * context, 5 * weights))
    record = knowing({"elsewhere": fooled})
    assert relation(answer, record) == "`weights` is right in these cases only: case 1; case 3."
    fooled[1], fooled[3] = RECORD.expected[1], RECORD.expected[3]
    assert relation(answer, record) == ""
    record = replace(record, cases=CASES[:4], expected=RECORD.expected[:4])
    assert relation(answer, record) == ""  # nor if these are half of all cases


def test_what_is_nearly_0_is_no_evidence():
    draw = np.random.default_rng(0)
    sizes = (1, 1, 1, 1e-6, 1e-6)
    expected = [size * draw.normal(size=(2, 3)) for size in sizes]
    turned = [-size * values for size, values in zip(sizes, expected, strict=True)]
    assert relation_of_arrays(turned, expected) == "`gain` is the right one times -1."
    others = [values[:, ::-1].cumsum(0) * 2 for values in expected]
    assert relation_of_arrays(others, expected) == ""


SPOILED = {
    "right at one end": lambda full: np.concatenate([full[:, :1], full[:, :0:-1]], axis=1),
    "squared": lambda full: full * full,
    "masked": lambda full: full * np.tri(*full.shape[1:], dtype=full.dtype),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
@pytest.mark.parametrize("dtype", [float, int, bool])
def test_every_rule_copes_with_arrays_without_entries(dtype, spoil):
    """A cache of which nothing is kept is one."""
    shapes = [(2, 4, 4), (3, 5, 6), (2, 0, 4), (0, 4, 4), (2, 4, 0)]
    draw = np.random.default_rng(0)
    expected = [draw.random(shape) for shape in shapes]
    if dtype is float:  # rows of weights
        expected = [values / values.sum(-1, keepdims=True) for values in expected]
    else:
        expected = [(3 * values).astype(dtype) for values in expected]
    right, wrong = (
        [Answer({"gain": values}) for values in each] for each in (expected, map(spoil, expected))
    )
    record = Record(GAIN, CASES, right, {})
    with np.errstate(all="ignore"):  # as a diagnosis does
        for rule in [*relations.RELATIONS, *relations.WEAKER_RELATIONS]:
            relations.describe_values(record, record.trials(wrong), [rule])


def test_a_term_too_many_in_an_input_is_told():
    def right(query, keys, values, mask):
        centred = query - query.mean(-1, keepdim=True)
        return centred / centred.square().mean(-1, keepdim=True).sqrt()

    def rms(query, keys, values, mask):
        return query / query.square().mean(-1, keepdim=True).sqrt()

    def with_a_number(query, *others):
        return right(query.exp() + 0.01 * query.square(), *others)

    record = record_of("norm", right)
    assert relation(rms, record) == (
        "With `query` less the mean along its last axis in place of `query`, all of your answer "
        "would be right."
    )
    assert "in place of" not in relation(with_a_number, record)


def test_a_term_that_shows_in_few_cases_is_not_said_to_be_one_too_many():
    """An answer is wrong in one case only: the feedback says so, and guesses no wrong term."""

    def right(x):
        return x.softmax(-1)

    def with_the_mean(x):
        level = x.mean(-1, keepdim=True) * (len(x) == 4)
        return right(x) * (1 + level * x.cos())

    record = record_of("rows", right, cases_of(torch.clone))
    assert relation(with_the_mean, record) == "`rows` is right in all cases but these: case 3."


# --- Inputs that are changed ----------------------------------------------------------------------


def overwrites(query, keys, values, mask):
    query /= math.sqrt(query.shape[-1])
    return attend(query, keys, values, mask, width=1)


def test_what_else_is_wrong_with_an_answer_that_changes_its_inputs_is_told():
    assert relation(overwrites) == (
        "All values that it returns are right, but it changes what was given to it."
    )
    sharper = relation(lambda query, *others: overwrites(query.mul_(2), *others))
    assert sharper == f"{SOFTMAX_OF} times 2."
    strange = relation(lambda *inputs: tuple(values.cos() for values in overwrites(*inputs)))
    assert strange == ""


def test_results_that_have_moved_in_a_ring_come_back_to_their_places():
    right = {name: np.array([number]) for number, name in enumerate("abc")}
    returned = dict(zip("abc", (right["b"], right["c"], right["a"]), strict=True))
    trial = Trial(Case("one", {}), Answer(right), Answer(returned))
    (back,) = relations.Exchange("", ("b", "c", "a")).undone([trial])
    assert back.actual.outputs == right


# --- What several mistakes leave ------------------------------------------------------------------


def uneven(weights):
    """Change all numbers but 0, so that no rule finds what was done."""
    return weights * (0.5 + torch.rand(weights.shape, generator=torch.Generator().manual_seed(0)))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda weights: uneven(weights).mT, "has axis 1 and its last axis exchanged"),
        (lambda weights: uneven(weights).prod(1), "lacks axis 1"),
        (lambda weights: uneven(weights).prod(-1), "lacks its last axis"),
    ],
)
def test_axes_are_told_by_their_lengths_where_the_numbers_are_wrong_too(change, expected):
    assert relation(of_weights(change)) == f"By its shape, `weights` {expected}."


# --- What is not quite so, or points elsewhere ----------------------------------------------------


def test_what_the_verdict_calls_wrong_no_relation_calls_right():
    nearly = relation(of_weights(lambda w: w + 5e-5 * (30 * w).cos() * (len(w) < 3)))
    assert nearly == "`weights` is right in these cases only: case 1; case 3."
    doubled = relation(of_weights(lambda weights: 2 * weights + 5e-5 * weights.cos()))
    assert "times 2" not in doubled


def test_cases_of_nan_are_neither_right_nor_0():
    def answer(weights):
        return weights * (0 if len(weights) < 4 else torch.nan)

    assert relation(of_weights(answer)) == (
        "`weights` is 0 everywhere. This leaves out the cases in which it holds NaN or infinity."
    )


def test_a_softmax_of_scaled_scores_is_told_only_if_no_row_speaks_against_it():
    """The first row is right and tells its scores; the second has a small share, and is wrong."""
    cases_ = [
        Case(f"case {n}", {"x": torch.tensor([[0.3, n, -0.4, 0.9]])}) for n in (0.1, 0.2, 0.5)
    ]

    def right(x):
        return torch.cat([x, 3 * x - torch.tensor([0.0, 0.0, 6.0, 0.0])]).softmax(-1)

    def first_row_sharper(x):
        return torch.stack([(2 * x[0]).softmax(-1), x[0].flip(0).softmax(-1)])

    record = record_of("weights", right, cases_)
    assert SOFTMAX_OF not in relation(first_row_sharper, record)
    both = relation(lambda x: right(x).square() / right(x).square().sum(-1, True), record)
    assert both == f"{SOFTMAX_OF} times 2."


def test_of_two_outputs_the_one_is_told_that_is_wrong_more_often():
    outputs = [{name: np.arange(9.0) + n for name in ("one", "two")} for n in range(5)]
    given = [{"one": x["one"] + (n == 4), "two": x["two"] + (n > 2)} for n, x in enumerate(outputs)]
    task = replace(GAIN, outputs=["one", "two"])
    record = Record(task, CASES, [*map(Answer, outputs)], {})
    told = relations.describe_values(
        record, record.trials([*map(Answer, given)]), [relations.right_in_some_cases]
    )
    assert told.startswith("`two` is right in all cases but these: ")


def test_in_which_cases_an_output_is_right_is_said_if_it_is_wrong_in_the_one_that_is_shown():
    right = [Answer({"gain": np.arange(3.0) + 0.1 * n}) for n in range(5)]
    given = [Answer({"gain": each.outputs["gain"] + (n == 4)}) for n, each in enumerate(right)]
    record = Record(GAIN, CASES, right, {})
    said = [
        relations.describe_values(record, record.trials(given), [relations.right_in_some_cases], x)
        for x in (None, CASES[4], CASES[0])
    ]
    assert said[0] == said[1] == "`gain` is right in all cases but these: nothing to hide."
    assert said[2] == ""


def test_what_has_no_places_in_time_does_not_depend_on_later_ones():
    """The columns of a result are no places of the sequence that it was read from."""
    record = record_of("sums", lambda x: x[:, 0], cases_of(torch.clone), moving=True)
    assert "the last place" not in relation(lambda x: x.sum(1), record)
    record = record_of("sums", lambda x: x.cumsum(1), cases_of(torch.clone), moving=True)
    told = relation(lambda x: x.cumsum(1) + x.sum(1, keepdim=True), record)
    assert told.startswith(
        "In a batch, along axis 1, `sums` depends before its last place on the last place of `x`"
    )


def test_two_lengths_that_are_equal_by_chance_are_no_places():
    """Where the answer comes to an end, the columns are as many as the places."""
    sizes = [(2, 3, 3), (3, 4, 4), (2, 3, 5)]
    cases_ = [Case(f"{size}", {"x": torch.rand(size)}) for size in sizes]
    record = record_of("columns rows", lambda x: (x.sum(1), x.sum(2)), cases_, moving=True)

    def fails(x):
        return x.sum(1) / (x.shape[1] == x.shape[2] or torch.ones(3)), x.sum(2)

    assert "the last place" not in relation(fails, record)


def test_results_in_each_others_place_are_told_before_a_known_mistake():
    record = knowing({"transposed": given(lambda context, weights: (weights, weights))})
    exchanged = "`context` and `weights` are returned in each other's place"
    assert relation(lambda *inputs: attend(*inputs)[::-1], record).startswith(exchanged)

    def squared(*inputs):
        context, weights = attend(*inputs)
        return weights.square(), context.square()

    assert relation(squared) == f"By their shapes, {exchanged}."
    known_too = knowing({"in part": given(lambda context, weights: (weights**2, context))})
    verdict = verdict_on(known_too, {"attend": squared}, Printed())
    assert (verdict.mistake, verdict.right) == (None, "")
    record = knowing({"transposed": given(lambda context, weights: (weights, context))})
    swapped = verdict_on(record, {"attend": lambda *inputs: attend(*inputs)[::-1]}, Printed())
    assert swapped.mistake.name == "transposed"


def test_an_output_is_told_from_an_input_of_its_name():
    record = record_of("x", lambda x: 2 * x, cases_of(torch.clone), moving=True)
    told = relation(lambda x: torch.ones_like(x), record)
    assert told.startswith("The `x` that you return stays the same when `x` changes")


def mixed_up(keys):
    """Transpose keys, after a reshape to the shape that they would have transposed."""
    return keys.reshape(len(keys), keys.shape[2], keys.shape[1]).mT


def test_a_reshape_in_place_of_a_transpose_is_no_fault_of_the_mask():
    def reshaped(query, keys, values, mask):
        return attend(query, mixed_up(keys), values, mask)

    assert relation(reshaped).startswith("You give `keys` the shape that it has when its last two")


def test_what_is_wrong_without_a_mask_too_is_not_sent_to_the_mask():
    def squared(query, keys, values, mask):
        context, weights = attend(query, keys, values, mask)
        return context + values.mean(1, keepdim=True).square(), weights

    assert "hides" not in relation(squared)


def test_what_does_not_move_at_all_is_not_said_to_move_with_the_first():
    def of_rounding(query, keys, values, mask):
        context, weights = attend(query, keys, values, torch.ones_like(mask))
        return context + 1e-7 * mask[:1].sum(), weights

    words = relation(of_rounding)
    assert "moves with the first" not in words
    assert words.startswith("Your answer stays the same when `mask` changes")


def test_what_is_used_in_vain_is_not_asked_for_its_place():
    """The softmax takes no notice of what is added to all scores."""

    def added(query, keys, values, mask):
        scores = query.sum(-1, keepdim=True) + keys.sum(-1).unsqueeze(1)
        return attend(query, keys, values, mask)[0], scores.softmax(-1)

    assert relation(added) == (
        "`weights` stays the same when `query` changes, in every way that was tried: is it used, "
        "and can it change the result where it is used?"
    )


# --- Gradients ------------------------------------------------------------------------------------

LEARNS = replace(TASK, learns=True)
LEARNED = replace(RECORD, task=LEARNS, expected=kind_of(LEARNS).run(attend, CASES, Printed()))


def test_which_gradients_are_right_is_told_where_all_values_are():
    def one_cut(query, keys, values, mask):
        return attend(query, keys.detach(), values, mask)

    def all_cut(query, keys, values, mask):
        return tuple(values.detach() for values in attend(query, keys, values, mask))

    def cut_once(query, keys, values, mask):
        return attend(query.detach() if len(query) == 3 else query, keys, values, mask)

    assert relation(one_cut, LEARNED) == (
        "All values are right, and so is each gradient back to `query` and `values`: only that to "
        "`keys` is not."
    )
    assert relation(all_cut, LEARNED) == (
        "All values are right, but no gradient comes back to anything: look first at the last "
        "steps, and at what stands around all of them."
    )
    assert relation(cut_once, LEARNED) == (
        "All values are right, and all gradients too but in these cases: case 1."
    )

    def late_mistake(query, keys, values, mask):
        if len(query) == 4:
            return attend(query, keys, values, ~mask)
        return one_cut(query, keys, values, mask)

    assert "All values are right" not in relation(late_mistake, LEARNED)


def test_nothing_is_said_of_gradients_that_were_not_asked_for_again():
    words = relation(turned_round, LEARNED)
    assert words.endswith("exchanged in it, all that your answer returns is right.")


def turned_round(query, keys, values, mask):
    return attend(query, keys, values, ~mask)


def no_mask(query, keys, values, mask):
    return attend(query, keys, values)


def of_the_whole_batch(query, keys, values, mask):
    context, weights = attend(query, keys, values, mask)
    return context - context.mean(0, keepdim=True), weights


def by_chance(query, keys, values, mask):
    context, weights = attend(query, keys, values, mask)
    return context + torch.rand(()), weights


def mixes_hidden_values(query, keys, values, mask):
    context, weights = attend(query, keys, values, mask)
    hidden = (values * ~mask.unsqueeze(-1)).mean(1, keepdim=True)
    return context + hidden.square(), weights


def remembers():
    kept = []

    def answer(query, keys, values, mask):
        kept.append(0.5)
        context, weights = attend(query, keys, values, mask)
        return context + sum(kept) ** 2 * values[:, :1], weights

    return answer


BEHAVIOURS = {
    "mask ignored": (
        no_mask,
        "Your answer stays the same when `mask` changes, in every way that was tried: is it used, "
        "and can it change the result where it is used?",
    ),
    "the other way round": (
        turned_round,
        "You read `mask` the other way round: with `True` and `False` exchanged in it, all of your "
        "answer is right.",
    ),
    "the batch": (
        of_the_whole_batch,
        "Along its first axis each entry of `context` should be by itself, but the first depends "
        "on the others.",
    ),
    "hidden": (
        mixes_hidden_values,
        "`context` depends on places of `values` that `mask` hides.",
    ),
    "memory": (
        remembers(),
        "`context` is another one when the same inputs come a second time: your code keeps "
        "something from one call to the next.",
    ),
    "the first mask for all": (
        lambda query, keys, values, mask: attend(query, keys, values, mask[:1].expand_as(mask)),
        "Your answer moves with the first entry of `mask` along its first axis, and not with the "
        "others, in any way that was tried.",
    ),
}


@pytest.mark.parametrize(("answer", "expected"), BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_what_another_call_tells(answer, expected):
    assert relation(answer) == expected


def surprise(x):
    return -(x * x.log()).sum(-1)


def test_shares_that_are_taken_for_scores_are_told():
    record = record_of("surprise", surprise, cases_of(lambda query: query.softmax(-1)))
    told = relation(lambda x: surprise(x.softmax(-1)), record)
    assert told == (
        "You take `x` for scores: with its logarithm in its place, all of your answer would be "
        "right."
    )


def test_what_competes_along_the_first_axis_is_no_batch():
    """A softmax runs along the first axis, so its entries depend on each other, as in a beam.

    An answer must not be told that it fails to treat each entry of a batch by itself.
    """

    def search(x):
        return x.softmax(0), 0 * x[:, 0, 0].long()

    def with_the_others(x):
        return x.softmax(0), (1000 * x.sum()).long() + 0 * x[:, 0, 0].long()

    record = record_of("scores best", search, cases_of(torch.exp), moving=True)
    assert record.moves["batch"] == ["scores"]
    assert "by itself" not in relation(with_the_others, record)


def test_what_is_left_of_earlier_entries_of_a_batch_is_told():
    record = record_of("sums", lambda x: x.exp().sum((1, 2)), cases_of(torch.clone), moving=True)
    assert record.moves["batch from behind"] == []
    assert relation(lambda x: x.exp().sum((1, 2)).cumsum(0), record) == (
        "Along its first axis each entry of `sums` should be by itself, but the last depends on "
        "the others."
    )


def test_what_varies_from_call_to_call_is_told():
    record = replace(RECORD, expected=[Answer(dict(known.outputs)) for known in RECORD.expected])
    assert relation(by_chance, record) == (
        "`context` is not the same in every call: something in your code is drawn at random."
    )


def test_a_decision_that_does_not_move_is_not_said_to_depend_on_nothing():
    """An answer with a wrong threshold stays the same whatever its input is, but does use it.

    Only of an answer that ignores its input may be said that it does not move.
    """
    of_each = [
        Case(f"case {number}", {"weights": (torch.rand(3, 4, generator=draw) + 9).double()})
        for number, draw in enumerate(torch.Generator().manual_seed(seed) for seed in range(4))
    ]

    def right(weights):
        return (weights > weights.mean()).long()

    record = record_of("many", right, of_each, moving=True)
    assert "input weights" in record.moves
    assert "stays the same" not in relation(lambda weights: (weights > 2).long(), record)
    assert "stays the same" in relation(lambda weights: torch.arange(12).view(3, 4), record)


def test_a_limit_that_the_first_alone_crosses_is_no_sign_that_the_others_are_not_read():
    of_each = cases_of(lambda query: torch.cat([torch.full_like(query[:1], 99.0), query[1:]]))
    record = record_of("high", lambda x: x.amax((-2, -1)) > 1.5, of_each, moving=True)
    of_all = relation(lambda x: x.amax().expand(len(x)) > 50, record)
    assert "moves with the first" not in of_all


def test_what_hides_a_factor_is_not_said_to_ignore_its_input():
    """The answer does use its input, though no reordering and no positive factor changes it."""

    def right(x):
        return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)

    record = record_of("normed", right, cases_of(torch.clone), moving=True)
    words = relation(lambda x: 0 * x + x.mean(-1, keepdim=True) / x.std(-1, keepdim=True), record)
    assert "`x`" not in words


def test_what_is_turned_is_not_looked_at_by_its_place():
    """An answer has its axes moved, so that its first entry is not that of the right answer.

    So the feedback does not say on which inputs its first entry depends.
    """
    words = relation(
        lambda query, keys, values, mask: (
            attend(query, keys, values, mask)[0].square().movedim(0, -1),
            attend(query, keys, values, mask)[1],
        )
    )
    assert "the first depends on the others" not in words


def test_of_few_cases_without_nan_nothing_is_said():
    blown_up = given(lambda context, weights: (context * np.nan, weights * np.nan))
    assert diagnose(RECORD, [DOUBLED[0], *blown_up[1:]]).relation == ""


def test_no_relation_is_said_of_noise():
    for seed in range(20):
        noise = np.random.default_rng(seed)
        drawn = given(lambda *right: [noise.random(each.shape) for each in right])  # noqa: B023
        assert diagnose(RECORD, drawn).relation == ""


def test_chance_is_excluded():
    """One number is always another times a factor, and so are the scores of two shares."""
    assert relation_of_arrays([np.array([2.0])], [np.array([1.0])]) == ""
    assert relation_of_arrays([np.array([[0.3, 0.7]])], [np.array([[0.6, 0.4]])]) == ""


def test_of_two_faults_both_are_told_if_one_is_known():
    def over_the_queries(query, keys, values, mask):
        scores = (query @ keys.mT).masked_fill(~mask[:, None], -1e30)
        weights = scores.softmax(1) / 7
        return weights @ values, weights

    def both(query, keys, values, mask):
        return over_the_queries(query, keys, values, ~mask)

    known = "It competes along the queries"
    record = knowing({known: kind_of(TASK).run(over_the_queries, CASES, Printed())})
    assert relation(both, record) == (
        "You read `mask` the other way round: with `True` and `False` exchanged in it, one fault "
        "is left: It competes along the queries."
    )
    assert "one fault" not in relation(both)

    def reshaped(query, keys, values, mask):
        return over_the_queries(query, mixed_up(keys), values, mask)

    assert relation(reshaped, record).endswith(
        "`.mT` exchanges axes. One fault is left: It competes along the queries."
    )


def test_two_faults_that_undo_each_other_are_none():
    def wrong_where_nothing_is_hidden(query, keys, values, mask):
        return attend(query, 3 * keys if mask.all() else keys, values, mask)

    def wrong_if_the_first_is_open_in_batches_of_two_to_three(query, keys, values, mask):
        wrong = mask[0, 0] and len(query) < 4
        return attend(query, 3 * keys if wrong else keys, values, mask)

    record = knowing({"turned": kind_of(TASK).run(turned_round, CASES, Printed())})
    assert "one fault" not in relation(wrong_where_nothing_is_hidden, record)
    answer = wrong_if_the_first_is_open_in_batches_of_two_to_three
    assert "one fault" not in relation(answer, record)


def test_nan_that_a_known_mistake_does_not_make_is_no_part_of_it():
    unmasked = kind_of(TASK).run(lambda q, k, v, mask: attend(q, k, v), CASES, Printed())

    def nan_beside(query, keys, values, mask):
        context, weights = attend(query, keys, values)
        first = torch.equal(query, CASES[0].inputs["query"])
        return (context * torch.nan, weights) if first else (context, weights)

    for answer, holds in ((nan_beside, True), (lambda q, k, v, mask: attend(q, k, v), False)):
        verdict = verdict_on(knowing({"no mask": unmasked}), {"attend": answer}, Printed())
        assert verdict.mistake.name == "no mask"
        assert verdict.right.startswith("Your NaN, or infinity, in other cases may") == holds


def test_a_mask_is_changed_so_that_no_row_allows_nothing():
    causal = torch.ones(3, 3, dtype=torch.bool).tril()
    assert otherwise(causal).all()
    some = torch.tensor([[True, False], [False, True]])
    assert torch.equal(otherwise(some), ~some)


def test_what_is_right_is_said():
    verdict = verdict_on(RECORD, {"attend": of_weights(lambda weights: 2 * weights)}, Printed())
    count = f"all {len(CASES)} cases"
    words = f"Of what it returns, `context` is right in {count}, only `weights` differs."
    assert words in repr(in_words(verdict))


def test_a_known_mistake_comes_before_relations_unless_it_spoils_what_is_right():
    """A known mistake makes both outputs wrong; it is not named if only one output is wrong."""
    record = knowing({"both": DOUBLED})
    half = given(lambda context, weights: (2 * context, weights))
    verdict = diagnose(record, DOUBLED)
    assert (verdict.mistake.name, verdict.relation) == ("both", "")
    assert diagnose(record, half).mistake is None


# --- Cases in order -------------------------------------------------------------------------------


def late_exception(answer):
    """Return the verdict on an answer that is made to raise an exception in a late case."""

    def failing(query, *others):
        if len(query) == 4:
            raise ValueError("four")
        return answer(query, *others)

    return verdict_on(RECORD, {"attend": failing}, Printed())


def test_an_exception_in_a_late_case_hides_no_early_mistake():
    verdict = late_exception(partial(attend, width=1))
    assert verdict.evidence.case is CASES[0]
    assert SOFTMAX_OF in verdict.relation


def test_an_exception_in_a_late_case_is_told_where_the_early_ones_are_right():
    verdict = late_exception(attend)
    assert (verdict.reason, verdict.message) == ("error", "ValueError: four")
    assert late_exception(of_weights(lambda weights: 2 * weights)).right == ""


def test_of_a_few_cases_no_mistake_is_guessed():
    """An answer raises an error after two cases, and fits two known mistakes: none is named."""
    record = knowing({"a": DOUBLED, "b": [*DOUBLED[:-1], RECORD.expected[-1]]})
    assert diagnose(record, DOUBLED).mistake.name == "a"
    assert diagnose(record, DOUBLED[:2], AnswerError("error", "late")).mistake is None


# --- Exceptions -----------------------------------------------------------------------------------


def undefined(query, keys, values, mask):
    return attend(qery, keys, values, mask)


def without_an_import(query, keys, values, mask):
    return attend(query, keys, values, mask)[0] * np_.pi, F.softmax(query)


def in_one_branch(query, keys, values, mask):
    if len(query) == 7:
        weights = query
    return attend(query, keys, values, mask)[0], weights


EXCEPTIONS = {
    "a typing error": (undefined, "Did you mean your input `query`?"),
    "a name": (without_an_import, "Nothing is called `np_` where that line runs."),
    "one branch": (in_one_branch, "The line that sets `weights` is not reached with case 0."),
    "lengths": (
        lambda query, keys, values, mask: (query @ values, query),
        "Two lengths do not fit, 5 and 4: the last axis of `query`",
    ),
    "axes": (
        lambda query, keys, values, mask: torch.bmm(query[:, None], keys.mT),
        "`bmm` takes tensors with three axes, and what comes first has another number of them",
    ),
    "arguments": (
        lambda query, keys, values: attend(query, keys, values),
        "It is called as `attend(query, keys, values, mask)`",
    ),
    "truth": (
        lambda query, keys, values, mask: attend(query, keys, values, mask if mask else None),
        "`if` and `and` want one truth value",
    ),
    "nothing": (lambda query, keys, values, mask: None + query, "Something there is `None`"),
    "a method": (
        lambda query, keys, values, mask: query.transpos(1, 2),
        "Tensors have no `transpos`. Did you mean `transpose`?",
    ),
    "a number": (
        lambda query, keys, values, mask: query.sum().item().softmax(-1),
        "What stands before `.softmax` is a plain number there, and no tensor.",
    ),
    "an axis": (
        lambda query, keys, values, mask: query.softmax(3),
        "There is no axis 3 in what it is applied to.",
    ),
    "a dtype": (
        lambda query, keys, values, mask: attend(query.double(), keys, values, mask),
        "Two kinds of numbers meet",
    ),
    "a view": (
        lambda query, keys, values, mask: query.mT.view(-1),
        "`view` needs numbers that lie row by row",
    ),
    "transposed": (
        lambda query, keys, values, mask: attend(query, keys.mT, values, mask),
        "You use `keys` with its last two axes exchanged: if it were transposed, all of your "
        "answer would be right.",
    ),
}


@pytest.mark.parametrize(("answer", "expected"), EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_the_likely_cause_of_an_exception_is_told(answer, expected):
    assert relation(answer).startswith(expected)


def test_of_two_shapes_in_a_message_it_is_told_what_does_not_fit():
    def answer(query, keys, values, mask):
        raise ValueError(f"mask must broadcast to (2, 3, {values.shape[-1]}), got {(2, 3, 5)}")

    def fits(query, keys, values, mask):
        raise ValueError("mask must broadcast to (2, 3, 4), got (3, 1)")

    assert relation(answer) == (
        "Two lengths do not fit, 6 and 5: the last axis of `values` has 6, and the last axis of "
        "`query` or the last axis of `keys` has 5."
    )
    assert relation(fits) == ""


def test_of_other_exceptions_nothing_is_said():
    def answer(query, keys, values, mask):
        raise ValueError("something else")

    assert relation(answer) == ""
