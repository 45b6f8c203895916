"""Test what feedback says of the line at which an answer leaves all right ones."""

import copy
import linecache
import math
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.test_relations import CASES, RECORD, TASK, attend
from utils.checks import trace
from utils.checks.diagnosis.lines import MOST_CASES, Pointer, describe_lines, describe_unread
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed
from utils.checks.runner import Rerun, traced
from utils.checks.trace import described, distinct, is_among, is_rearranged
from utils.masks import masked_softmax

STEPS = [distinct(traced(TASK, attend, case).results()) for case in CASES]
RECORD = replace(RECORD, steps=STEPS, common=STEPS)
PLACES = re.compile(r"(the result of|At) `([^`]*)` \(line (\d+)\)")


def told(answer, record=RECORD):
    """Return the lines that feedback on an answer quotes, after "the result of" and "At"."""
    answers = kind_of(TASK).run(answer, CASES, Printed())
    sentence = describe_lines(record, RECORD.trials(answers), Rerun(TASK, answer).trace)
    return [(word, text) for word, text, _ in PLACES.findall(sentence)]


def over_targets(query, keys, values, mask):
    scores = query @ keys.mT / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask[:, None], -1e30)
    weights = scores.softmax(1)
    return weights @ values, weights


def unscaled(query, keys, values, mask):
    rows = query.shape[1]
    scores = torch.einsum("btd,bsd->bts", query, keys)
    weights = (scores * rows).masked_fill(~mask[:, None], -1e30).softmax(-1)
    return weights @ values, weights


def filled_in_a_loop(query, keys, values, mask):
    scores = torch.zeros(query.shape[0], query.shape[1], keys.shape[1])
    for row in range(query.shape[1]):
        scores[:, row] = (keys @ query[:, row, :, None]).squeeze(-1) / query.shape[-1] ** 0.5
    weights = scores.softmax(-1)
    return weights @ values, weights


@pytest.mark.parametrize(
    ("answer", "up_to", "at"),
    [
        (over_targets, "scores = scores.masked_fill(~mask[:, None], -1e30)", "weights = scores.so"),
        (unscaled, 'scores = torch.einsum("btd,bsd->bts", query, keys)', "weights = (scores * row"),
        (filled_in_a_loop, "scores[:, row] = (keys @ query[:, row", "weights = scores.softmax(-1)"),
    ],
)
def test_the_line_is_told_at_which_an_answer_leaves_the_right_ones(answer, up_to, at):
    (first, right), (second, stray) = told(answer)
    assert (first, second) == ("the result of", "At")
    assert right.startswith(up_to)
    assert stray.startswith(at)


def in_one_line(query, keys, values, mask):
    return (query @ keys.mT).softmax(-1) @ values, (query @ keys.mT).softmax(-1)


def test_nothing_is_told_of_a_right_answer_or_of_its_only_line():
    assert told(attend) == []
    assert told(in_one_line) == []


def by_powers_of_two(query, keys, values, mask):
    scores = query @ keys.mT / query.shape[-1] ** 0.5
    in_powers = scores.masked_fill(~mask[:, None], -1e30) / math.log(2)
    shares = in_powers.exp2()
    weights = shares / shares.sum(-1, keepdim=True)
    context = weights.square() @ values
    return context, weights


def by_rows(query, keys, values, mask):
    weights = torch.zeros(len(query), query.shape[1], keys.shape[1])
    for row in range(query.shape[1]):
        products = 3 * (keys @ query[:, row, :, None])[..., 0]
        hidden = products.masked_fill(~mask, -1e30)
        weights[:, row] += (hidden / (3 * query.shape[-1] ** 0.5)).softmax(-1)
    context = weights.mT.square().mT @ values
    return context, weights


def by_numbers(query, keys, values, mask):
    tripled = 3 * query @ keys.mT / query.shape[-1] ** 0.5
    rows = [x.tolist() for x in tripled.masked_fill(~mask[:, None], -1e30)]
    weights = (torch.tensor(rows) / 3).softmax(-1)
    return weights.square() @ values, weights


@pytest.mark.parametrize("answer", [by_powers_of_two, by_rows, by_numbers])
def test_no_line_is_told_on_which_a_right_output_rests(answer):
    """The weights go a right way of their own; what is wrong comes after them."""
    ((_, text),) = [place for place in told(answer) if place[0] == "At"]
    assert "square()" in text


def halves(query, keys, values, mask):
    some, rest = (query @ keys.mT / query.shape[-1] ** 0.5).tensor_split(2)
    weights = torch.cat([rest, some]).softmax(-1)
    return weights @ values, weights


def by_threefold_queries(query, keys, values, mask):
    threefold = 3 * query
    scores = threefold @ keys.mT / (3 * query.shape[-1] ** 0.5)
    shown = scores.masked_fill(~mask[:, None], -1e30)
    weights = shown.softmax(1)
    return weights @ values, weights


def test_of_very_many_runs_no_use_is_told(monkeypatch):
    assert traced(TASK, by_threefold_queries, CASES[0]).lines().uses().any()
    monkeypatch.setattr(trace, "MOST_STEPS", 3)
    names = {}
    exec(compile("def parts(x):\n    return x.exp().unbind()", "an answer", "exec"), names)
    with trace.Trace({"an answer"}) as mode:
        names["parts"](torch.arange(20.0).cos().reshape(5, 4))
    assert mode.lines().rests.shape == (5, 0)
    assert not mode.lines().uses().any()


def by_threefold_scores(query, keys, values, mask):
    threefold = 3 * (query @ keys.mT)
    weights = threefold.masked_fill(~mask[:, None], -1e30).softmax(-1)
    return weights @ values, (threefold / (3 * query.shape[-1] ** 0.5)).softmax(1)


def test_a_line_is_not_told_that_leads_at_once_to_what_right_answers_have():
    *_, (_, text) = told(by_threefold_queries)
    assert text == "weights = shown.softmax(1)"
    *_, (_, text) = told(by_threefold_scores)  # it is read in two lines, and one of them strays
    assert text == "threefold = 3 * (query @ keys.mT)"


def with_a_line_too_many(query, keys, values, mask):
    scores = query @ keys.mT / query.shape[-1] ** 0.5
    hidden = scores.cos() * 2  # of no use
    return hidden if len(query) < 0 else over_targets(query, keys, values, mask)


def test_a_line_is_not_told_on_which_no_output_rests():
    assert not any("cos" in text for _, text in told(with_a_line_too_many))


def test_what_others_make_of_the_values_rests_on_the_same_lines():
    names = {}
    exec(compile("def doubled(x):\n    return 2 * x", "an answer", "exec"), names)
    with trace.Trace({"an answer"}) as mode:
        stacked = torch.stack([names["doubled"](torch.arange(3.0))])
    mode.end(stacked, 1)
    assert mode.lines().origins == [{2}]


def in_another_order(query, keys, values, mask):
    scores = (query @ keys.mT / query.shape[-1] ** 0.5).flip(1)
    weights = scores.masked_fill(~mask[:, None], -1e30).softmax(-1)
    return weights @ values, weights


@pytest.mark.parametrize(("answer", "is_told"), [(in_another_order, True), (over_targets, False)])
def test_right_numbers_in_another_order_are_called_so(answer, is_told):
    answers = kind_of(TASK).run(answer, CASES, Printed())
    sentence = describe_lines(RECORD, RECORD.trials(answers), Rerun(TASK, answer).trace)
    assert ("numbers that right answers have, too, but none" in sentence) == is_told


@pytest.mark.parametrize(
    ("values", "is_so"),
    [
        ([3.0, -1.0, 0.5, 2.0], True),
        ([3.0, 1.0, 0.5, 0.0], False),  # of the same sum
        ([3.0, 1.0, -0.5, 2.0], False),  # of the same absolute values
        ([3.0, -1.0, 0.5, 2.0, torch.nan], False),
        ([-1.2247449, 0.0, 1.2247449], False),  # normalised, as what stands among the others
        ([0.0, 4.0, 5.0], False),  # of the same sum and the same squares
    ],
)
def test_numbers_are_rearranged_if_each_is_there(values, is_so):
    others = [0.5, 3, 2, -1], [0.5, 3, 2, -1, 0], [0.7071068, 0.7071068, -1.4142136], [1.0, 2, 6]
    others = np.array([described(torch.tensor(x)) for x in others])
    assert is_rearranged(np.array(described(torch.tensor(values))), others) == is_so


def test_of_masks_no_order_is_told():
    mask, turned = ([described(torch.tensor(x))] for x in ([0.0, 1, 1, 0, 1], [1.0, 1, 0, 1, 0]))
    assert not is_rearranged(np.array(mask[0]), np.array(turned))


def returns_another(query, keys, values, mask):
    threefold = 3 * (query @ keys.mT / query.shape[-1] ** 0.5)
    weights = (threefold / 3).masked_fill(~mask[:, None], -1e30).softmax(-1)
    return weights.square() @ values, threefold


def test_what_is_used_later_is_not_said_to_be_the_end_of_a_wrong_way():
    answers = kind_of(TASK).run(returns_another, CASES, Printed())
    sentence = describe_lines(RECORD, RECORD.trials(answers), Rerun(TASK, returns_another).trace)
    assert "either it goes a way of its own there" in sentence


def test_a_transposed_tensor_rests_on_what_was_transposed():
    def turned(query, keys, values, mask):
        products = keys @ query.mT
        scores = products.mT
        return scores @ values, scores

    lines = traced(TASK, turned, CASES[0]).lines()
    begin = turned.__code__.co_firstlineno
    assert {begin + 1, begin + 2} <= lines.origins[1]


def test_a_line_that_takes_values_apart_is_not_called_right():
    assert [word for word, _ in told(halves)] == ["At"]


def test_a_row_of_0s_and_1s_is_no_evidence():
    """A wrong choice may be one that a right answer makes for something else."""

    def answer(query, keys, values, mask):
        chosen = (torch.arange(keys.shape[1]) > 1).float()
        hidden = ~mask
        return query @ keys.mT - chosen * hidden[:, None]

    lines = traced(TASK, answer, CASES[0]).lines()
    assert lines.computes.tolist() == [False, True, True]


def keys_overwritten(query, keys, values, mask):
    keys = query @ keys.mT / query.shape[-1] ** 0.5
    weights = keys.softmax(-2)
    return weights @ values, weights


def opposite_of_the_mask(query, keys, values, mask):
    scores = query @ keys.mT / query.shape[-1] ** 0.5
    hidden = ~mask
    weights = scores.masked_fill(hidden[:, None], -1e30).softmax(1)
    return weights @ values, weights


def test_a_line_is_called_right_only_for_what_most_right_answers_have_and_lose_nothing_by():
    assert [word for word, _ in told(over_targets)] == ["the result of", "At"]
    in_one_only = replace(RECORD, common=[steps[:0] for steps in STEPS])
    assert [word for word, _ in told(over_targets, in_one_only)] == ["At"]
    assert [word for word, _ in told(keys_overwritten)] == ["At"]
    (_, right), _ = told(opposite_of_the_mask)
    assert right == "scores = query @ keys.mT / query.shape[-1] ** 0.5"


def wrong_in_a_late_case(query, keys, values, mask):
    scores = query @ keys.mT / query.shape[-1] ** 0.5
    scores = scores * (2 if query.shape == CASES[MOST_CASES].inputs["query"].shape else 1)
    weights = scores.masked_fill(~mask[:, None], -1e30).softmax(1)
    return weights @ values, weights


def test_a_line_is_not_called_right_that_is_wrong_in_a_later_case():
    assert [word for word, _ in told(wrong_in_a_late_case)] == ["At"]


def softmax_of_contexts(query, keys, values, mask):
    def by_rows(x):
        return x.softmax(-1)

    scores = query @ keys.mT / query.shape[-1] ** 0.5
    weights = by_rows(scores.masked_fill(~mask[:, None], -1e30))
    context = by_rows(weights) @ values
    return context, weights * 2


def test_a_line_that_was_right_in_its_first_run_is_told_so():
    answers = kind_of(TASK).run(softmax_of_contexts, CASES, Printed())
    told = describe_lines(RECORD, RECORD.trials(answers), Rerun(TASK, softmax_of_contexts).trace)
    assert "though not the first time that it runs, your code has a result" in told


def in_a_library(query, keys, values, mask):
    weights = masked_softmax(query @ keys.mT, mask[:, None])
    return weights @ values, weights * 2


def test_a_line_that_calls_a_library_has_not_run_before():
    lines = traced(TASK, in_a_library, CASES[0]).lines()
    number = lines.numbers.tolist()[0]
    assert lines.numbers.tolist().count(number) > 1
    assert not any(lines.again)


def wrong_in_the_second_case(query, keys, values, mask):
    scores = query @ keys.mT / query.shape[-1] ** 0.5
    if query.shape == CASES[1].inputs["query"].shape:
        scores = scores * 3
    weights = scores.masked_fill(~mask[:, None], -1e30).softmax(-1)
    context = weights.square() @ values
    return context, weights


def test_a_case_that_is_not_shown_is_named_where_the_line_is_told():
    answers = kind_of(TASK).run(wrong_in_the_second_case, CASES, Printed())
    trace = Rerun(TASK, wrong_in_the_second_case).trace
    told = describe_lines(RECORD, RECORD.trials(answers), trace)
    case = f', for example in the case "{CASES[1].label}"'
    assert re.search(rf"`scores = scores \* 3` \(line \d+\){case}", told)
    assert told.case is CASES[1]


def axis_too_many(query, keys, values, mask):
    scores = (query @ keys.mT / query.shape[-1] ** 0.5)[:, None]
    weights = scores.softmax(-2)
    return weights @ values[:, None], weights


def test_where_a_shape_is_wrong_no_line_is_called_right():
    assert [word for word, _ in told(axis_too_many)] == ["At"]


def hands_back(query, keys, values, mask):
    root = torch.ones(1) * query.shape[-1] ** 0.5
    other = 3 * root.to(root)
    scores = query @ keys.mT / root
    weights = scores.masked_fill(~mask[:, None], -1e30).softmax(-1)
    return weights @ values + other, weights


def test_what_is_handed_back_as_it_came_rests_on_nothing_new():
    first = hands_back.__code__.co_firstlineno
    _, of_weights = traced(TASK, hands_back, CASES[0]).lines().origins
    assert {*of_weights} == {first + 1, first + 3, first + 4}


def changed_in_a_loop(query, keys, values, mask):
    scores = query @ keys.mT / query.shape[-1] ** 0.5
    for _ in range(2):
        weights = scores.masked_fill(~mask[:, None], -1e30).softmax(-1)
        scores = scores * 0.9
    weights = weights.square()
    return weights @ values, weights


SKIPPED = """
def attend(query, keys, values, mask):
    scores = query @ keys.mT / query.shape[-1] ** {power}
    weights = scores.masked_fill(~mask[:, None], -1e30).softmax(-1)
    context = weights @ values
    return keys.mean(1, keepdim=True) + 0 * query[..., :1], weights
"""


@pytest.mark.parametrize(
    ("power", "is_told"), [("0.5", True), ("(0.5 if len(keys) == 2 else 1)", False)]
)
def test_what_is_not_used_is_told_if_it_is_right_in_each_case(power, is_told, monkeypatch):
    source, names = SKIPPED.format(power=power), {}
    exec(compile(source, "<a cell>", "exec"), names)
    monkeypatch.setitem(linecache.cache, "<a cell>", (1, None, source.splitlines(True), ""))
    answer = names["attend"]
    answers = kind_of(TASK).run(answer, CASES, Printed())
    told = describe_unread(RECORD, RECORD.trials(answers), Rerun(TASK, answer).trace, source)
    assert ("your code makes no use of `context`" in told) == is_told


def test_in_a_loop_the_line_is_told_that_strays_first():
    (_, right), (_, stray) = told(changed_in_a_loop)
    assert (right[:7], stray) == ("scores ", "scores = scores * 0.9")


def test_of_a_line_that_ends_in_one_number_its_last_telling_call_is_traced():
    def answer(query, keys, values, mask):
        largest = query.exp().amax(-1).mean()
        return torch.full_like(query[:, :, :1], largest)

    exponentials, *others = traced(TASK, answer, CASES[0]).lines().results
    assert is_among(exponentials, np.array([described(CASES[0].inputs["query"].exp().amax(-1))]))
    assert others == []  # what `full_like` makes is all alike, and a slice is nothing new


def test_an_answer_is_traced_up_to_its_exception():
    def breaks(query, keys, values, mask):
        scores = query @ keys.mT
        return scores @ mask

    lines = traced(TASK, breaks, CASES[0]).lines()
    assert lines.sources.tolist() == ["scores = query @ keys.mT"]
    assert is_among(lines.results[0], RECORD.steps[0])


def test_a_long_loop_is_traced_in_part(monkeypatch):
    monkeypatch.setattr(trace, "MOST_STEPS", 10)

    def long(query, keys, values, mask):
        for number in range(100):
            query = query + number

    assert len(traced(TASK, long, CASES[0]).lines().numbers) == 10


def test_equal_tensors_have_one_description_and_others_another():
    table = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
    rows = [described(table.double()), described(table[:, None]), described(table + 1e-9)]
    assert len(distinct(np.array(rows))) == 1
    others = [table.mT, table.reshape(4, 3), table.flip(0), -table, table + 1e-2]
    assert len(distinct(np.array([*rows, *map(described, others)]))) == 1 + len(others)
    hidden = table.masked_fill(table > 1, -torch.inf)
    assert is_among(
        np.array(described(hidden.nan_to_num(neginf=-1e9))), np.array([described(hidden)])
    )


@pytest.mark.parametrize(
    "dull",
    [
        torch.tensor([0.3, 0.7]),
        torch.ones(4, 4),
        torch.empty(0),
        torch.arange(5),
        1e-7 * torch.eye(3),
    ],
)
def test_a_tensor_that_would_be_right_by_chance_is_not_described(dull):
    assert described(dull) == ()


def test_a_pointer_is_kept_as_its_sentence():
    kept = copy.deepcopy(Pointer("Line 3.", 3, CASES[0]))
    assert (kept, type(kept)) == ("Line 3.", str)
