"""Test what feedback says of a place in an answer's code at which one change mends something.

It has to be true of the answer as it stands: a change must not make the fault that it is said to
leave.
"""

import ast
from dataclasses import replace

import pytest
import torch

from tests.test_relations import CASES, DOUBLED, RECORD, TASK
from utils.checks.diagnosis import measure_moves
from utils.checks.diagnosis.edits import definitions, edits
from utils.checks.diagnosis.repairs import Editable, Repairs
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed
from utils.checks.runner import AnswerError, Rerun
from utils.checks.tasks import Case, Mistake, Record

LEFT = "one small change there leaves one fault: Known."


def weights(scores, mask):
    shown = scores.masked_fill(~mask, -1e30).softmax(-1)
    return shown.masked_fill(~mask, 0.0)


def nothing_left(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


def over_the_rows(scores, mask):
    return scores.masked_fill(~mask, -1e30).softmax(-2).masked_fill(~mask, 0.0)


def masks():
    for case in CASES:
        scores = case.inputs["query"]
        mask = scores > -1.0
        mask[0, 0], mask[1, 0] = False, True
        yield Case(case.label, {"scores": scores, "mask": mask})


def readout(query, keys):
    return torch.tanh((query.softmax(-1) + keys.mean(1, keepdim=True)) / 2) + query


def of_keys_alone(query, keys):
    return torch.tanh(keys.mean(1, keepdim=True)) + query


def without_mask(case):
    return Case(case.label, {name: case.inputs[name] for name in ("query", "keys")})


def told(source, right, cases, known=None):
    """Return what is said of the last function in a source, with a known mistake.

    Args:
        source: code of the answer.
        right: the right answer, a function.
        cases: inputs.
        known: function that makes the known mistake.
    """
    task = replace(TASK, id=right.__name__, outputs=[right.__name__])
    run = kind_of(task).run
    mistaken = {}
    if known:
        task = replace(task, mistakes=[Mistake("known", "Known.", "Which?")])
        mistaken = {"known": run(known, cases, Printed())}
    record = Record(task, cases, run(right, cases, Printed()), mistaken)
    record = replace(record, moves=measure_moves(record, Rerun(task, right)))
    names = {"torch": torch}
    exec(source, names)
    answer = names[task.id]
    try:
        given = run(answer, cases, Printed())
    except AnswerError as error:
        given = error.earlier
    editable = Editable(source, Rerun(task, answer, seconds=30))
    repairs = Repairs(record, record.trials(given), editable)
    return repairs.describe() or repairs.in_most_cases


def test_a_change_that_leaves_a_known_mistake_is_told():
    source = """
def weights(scores, mask):
    shown = (scores + scores).masked_fill(~mask, -1e30).softmax(-2)
    return shown.masked_fill(~mask, 0.0)
"""
    assert told(source, weights, [*masks()], over_the_rows).endswith(LEFT)


def test_a_change_that_makes_nan_of_numbers_is_not_told():
    """A row that is masked whole keeps equal shares. It is no help that one could make NaN."""
    source = """
def weights(scores, mask):
    empty = ~mask.any(-1, keepdim=True)
    return scores.masked_fill(~mask & ~empty, -torch.inf).softmax(-1)
"""
    assert "leaves" not in told(source, weights, [*masks()], nothing_left)


def test_a_change_that_takes_a_variable_out_of_a_line_leaves_no_fault_of_the_answers():
    source = """
def readout(query, keys):
    asked, found = query.softmax(-1), keys.mean(1, keepdim=True)
    return (torch.tanh(asked) + torch.tanh(found)) / 2 + query
"""
    cases = [*map(without_mask, CASES)]
    assert "leaves" not in told(source, readout, cases, of_keys_alone)


def bells(scores, centres):
    leaning, away = scores * centres.sign(), centres * (torch.arange(scores.shape[-1]) + 1)
    return leaning.softmax(-1) * torch.exp(-away.abs())


def without_bells(scores, centres):
    return (scores * centres.sign()).softmax(-1)


def test_rows_of_ones_are_no_evidence_that_a_fault_was_there_before_the_change():
    """Of one key, all weights are 1 with the factor before the softmax, and without it."""
    source = """
def bells(scores, centres):
    leaning, away = scores * centres.sign(), centres * (torch.arange(scores.shape[-1]) + 1)
    return (leaning * torch.exp(-away.abs() / 3)).softmax(-1)
"""
    torch.manual_seed(0)
    cases = [
        Case(f"{keys} keys", {"scores": torch.randn(2, 4, keys), "centres": torch.randn(2, 4, 1)})
        for keys in (4, 5, 1)
    ]
    assert "leaves" not in told(source, bells, cases, without_bells)


def products(query, table):
    return query @ table


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("query.mT @ table", "`query.mT` is transposed, and should not be."),
        ("query @ table.mT", "`table.mT` is transposed, and should not be."),
    ],
)
def test_what_is_turned_is_not_said_to_have_to_be(written, words):
    cases = [
        Case(case.label, {"query": case.inputs["query"], "table": case.inputs["keys"].mT})
        for case in CASES
    ]
    assert told(f"def products(query, table):\n    return {written}", products, cases).startswith(
        words
    )


def total(query):
    return query.sum(1)


def test_what_silences_an_assertion_is_no_repair():
    source = """
def total(query):
    seen = []

    def step(count, place, so_far):
        assert count == len(seen), "this is an old count"
        seen.append(place)
        return so_far + query[:, place]

    so_far = 0 * query[:, 0]
    for place in range(query.shape[1]):
        so_far = step(0, place, so_far)
    return so_far
"""
    cases = [Case(case.label, {"query": case.inputs["query"]}) for case in CASES]
    assert told(source, total, cases) == ""


def stepped(query, table):
    table = table.clone()
    table[:, 0] += 1
    return query @ table


def test_what_changes_an_input_is_no_repair():
    source = """
def stepped(query, table):
    new = table.clone()
    new[:, 0] += 1
    return query @ table
"""
    cases = [
        Case(case.label, {"query": case.inputs["query"], "table": case.inputs["keys"].mT})
        for case in CASES
    ]
    assert told(source, stepped, cases).startswith("Look at `table` in `return query @ table`")


def average(query):
    return query.mean()


def test_what_a_function_of_python_takes_lacks_no_axis():
    source = "def average(query):\n    return query.sum() / len(query)"
    cases = [Case(case.label, {"query": case.inputs["query"]}) for case in CASES]
    assert "axis" not in told(source, average, cases, lambda query: query.sum())


def stretched(query):
    return (query * 3 + 1) * 3


def test_of_places_that_look_alike_the_one_that_is_meant_is_told():
    source = "def stretched(query):\n    return (query * 2 + 1) * 2  # 2 of them"
    cases = [Case(case.label, {"query": case.inputs["query"]}) for case in CASES]
    words = "Look at the {} `2` in `return (query * 2 + 1) * 2  # 2 of them` (line 2)"
    for which, known in (
        ("first", lambda query: (query * 3 + 1) * 2),
        ("second", lambda query: (query * 2 + 1) * 3),
    ):
        assert told(source, stretched, cases, known).startswith(words.format(which))


def parabola(query):
    return 2 * query - 3 * query * query


def test_a_place_is_quoted_as_it_is_written():
    source = "def parabola(query):\n    return (2 * query) + (3 * query * query)"
    cases = [Case(case.label, {"query": case.inputs["query"]}) for case in CASES]
    place = "Look at `(2 * query) + (3 * query * query)` in `return (2 * query) + (3 * query"
    assert told(source, parabola, cases).startswith(place)


def test_what_a_method_makes_and_nobody_keeps_is_told():
    source = """
def weights(scores, mask):
    scores.masked_fill(~mask, -1e30)
    return scores.softmax(-1).masked_fill(~mask, 0.0)
"""
    assert told(source, weights, [*masks()]) == (
        "`masked_fill` makes a new tensor, and nothing keeps it there: assign it. (Line 3, "
        "`scores.masked_fill(~mask, -1e30)`.) That change makes all that your answer returns right."
    )


def clipped(query):
    return query.clamp(-1, 1)


def test_a_change_that_mends_most_cases_is_told_with_those_that_it_leaves():
    source = """
def clipped(query):
    if query.shape[1] == 3:
        return query.clamp(0, 1)  # from 0 on
    return query.clamp(-1, 2)
"""
    sizes = [(3, 4, 4), (2, 5, 5), (4, 5, 3), (2, 3, 3), (4, 6, 3)]
    cases = [Case(f"{size}", {"query": 3 * torch.randn(size)}) for size in sizes]
    assert told(source, clipped, cases) == (
        "Look at `2` in `return query.clamp(-1, 2)` (line 5): one small change there makes "
        "`clipped` right in all cases but these: (2, 3, 3)."
    )


# --- Changes of the code --------------------------------------------------------------------------

CELL = '''
class Attend(nn.Module):
    """Two lines
    of words."""

    def __init__(self, width=4):
        super().__init__()
        self.W = nn.Linear(width, 3); self.scale = width ** 0.5

    def forward(self, query, keys, mask=None):
        scores = (self.W(query) @ keys.T) / self.scale
        if mask is not None and mask.dim() > 1:
            scores = scores.masked_fill(~mask, -1e30)
        else: scores = scores * 2
        for row in range(3): scores[:, row] += 1
        return [f"{each:.1f}\\n" for each in scores.sum(-1)], scores.softmax(0)
'''


@pytest.mark.parametrize("by_shape", [True, False])
def test_a_changed_code_is_written_as_if_all_of_it_had_been_written_anew(by_shape):
    tree, count = definitions(CELL), 0
    before = ast.unparse(tree)
    for edit in edits(tree, by_shape):
        count += 1
        assert edit.code == ast.unparse(tree) != before
    assert count > 300
    assert ast.unparse(tree) == before


FILLED = """
def pairs(rows):
    table, pair = [], [0, 0]
    for row in rows:
        pair[0] = row
        table.append([row, row])
        table += [pair, row]
    return table
"""


def test_no_change_puts_a_list_into_itself():
    tried = [edit.code for edit in edits(definitions(FILLED), False)]
    assert any("return pair" in each for each in tried)
    for place in ("pair[0] = {}\n", "[{}, row])", "[row, {}])", " [{}, row]\n", "[pair, {}]\n"):
        assert any(place.format("rows") in each for each in tried)
        assert not any(place.format("table") in each for each in tried)
    assert not any("pair[0] = pair" in each for each in tried)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("query.clamp(min=0)", "query.clamp(max=0)"),
        ("tokens.clamp(window)", "tokens.clamp(max=window)"),
        ("2 * i // dim", "2 * i / dim"),
        ("query.sum(0)", "query.sum(-1, keepdim=True)"),
        ("before[i - 1][i] = 1", "before[i][i - 1] = 1"),
        ("known.get('base', 10000)", "10000"),
        ("query[:, PAD]", "query[:, EOS]"),
        ("query == last", "query <= last"),
        ("while query: break", "while query:\n        continue"),
        ("query[:, first:last]", "query[:, first:last + 1]"),
        ("query[:min(length, place + reach)]", "query[:min(length, place + reach + 1)]"),
        ("turn(one, two, three)[one, two, three]", "turn(one, two, three)[two, three, one]"),
    ],
)
def test_these_slips_are_taken_back(written, meant):
    codes = [edit.code for edit in edits(definitions(f"def f(query):\n    {written}"), False)]
    assert f"def f(query):\n    {meant}" in codes


def normalised(query):
    powers = (query - query.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)


def test_all_lines_of_a_change_are_told():
    source = """
def normalised(query):
    powers = (query - query.max()).exp()
    return powers / powers.sum()
"""
    cases = [Case(case.label, {"query": 99 * case.inputs["query"]}) for case in CASES]
    assert told(source, normalised, cases) == (
        "`max()` needs an axis: without one it makes one number of a whole table, not one of each "
        "row. (Lines 3 and 4.) Made in all of them, that change makes all that your answer returns "
        "right."
    )


def test_a_change_counts_that_passes_in_plain_form_only():
    """Where `view` fails for a transposed view, an answer is called with a copy, as by a check."""
    source = """
def flat(query):
    return query.view(len(query), -1) - 1
"""

    def flat(query):
        return query.flatten(1) + 1

    cases = [Case(case.label, {"query": case.inputs["query"]}) for case in CASES]
    cases += [Case("a view", {"query": CASES[0].inputs["query"].mT.contiguous().mT})]
    assert told(source, flat, cases).endswith(
        "one small change there makes all that your answer returns right."
    )


def test_a_number_that_may_make_a_step_idle_is_a_change_that_takes_something_away():
    tried = [*edits(definitions("def f(i, dim):\n    return 2 ** (3 * i).sum(dim=0)"), False)]
    assert not any("1 ** (3 * i)" in edit.code for edit in tried)  # it is 1 whatever i is
    assert {edit.takes_away for edit in tried if edit.place in ("2", "3")} == {True}
    assert False in {edit.takes_away for edit in tried if edit.place == "0"}
    tried = [*edits(definitions("def f(x, y):\n    z = x.exp()\n    return y * z"), False)]
    assert {edit.takes_away for edit in tried if "return y * y" in edit.code} == {True}
    tried = edits(definitions("def f(i, dim):\n    return 2 ** (i / dim)"), False)
    assert {edit.takes_away for edit in tried if "i // dim" in edit.code} == {True}


THREE = """
def three(matrix, bias):
    w_q, w_v, w_k = matrix.chunk(3)
    b_q, b_v, b_k = bias.chunk(3)
    return w_q
"""


def test_parts_that_are_taken_in_a_wrong_order_are_put_right_in_all_places_at_once():
    right = THREE.strip().replace("w_v, w_k =", "w_k, w_v =").replace("b_v, b_k =", "b_k, b_v =")
    (edit,) = (edit for edit in edits(definitions(THREE), False) if edit.code == right)
    assert edit.words == "`w_q, w_v, w_k` would be right in another order."


CALLED_TWICE = """
def outer(query, keys):
    def turned(x, axis):
        return x.softmax(axis)

    return turned(query, 0) @ turned(keys, 1)
"""


def test_of_a_helper_that_is_called_twice_the_calls_are_changed_first():
    places = [edit.line for edit in edits(definitions(CALLED_TWICE), False) if not edit.words]
    assert places.index(4) > places.index(6)


def test_no_change_is_made_when_the_time_is_up():
    tried = []

    class Slow(Rerun):
        def edited(self, codes, cases, spare):
            tried.extend(codes)
            return [None] * len(codes) * len(cases)

        def has_time(self, spare):
            return len(tried) < self.most

    rerun = Slow(TASK, None)
    for rerun.most in (80, 0):
        tried.clear()
        assert Repairs(RECORD, RECORD.trials(DOUBLED[:1]), Editable(CELL, rerun)).describe() == ""
        assert len(tried) == rerun.most
