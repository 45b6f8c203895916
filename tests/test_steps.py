"""Test `steps`: an answer line by line, with the line at which to look first."""

import contextlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from tests.test_relations import CASES, RECORD, TASK, attend
from utils.checks import bank, line_by_line, steps
from utils.checks.limits import Printed
from utils.checks.line_by_line import MOST_BYTES, walk_through
from utils.checks.notebook import verdict_on
from utils.checks.runner import traced
from utils.checks.trace import distinct

STEPS = [distinct(traced(TASK, attend, case).results()) for case in CASES]
RECORD = replace(RECORD, steps=STEPS, common=STEPS)


def walk(answer, record=RECORD):
    """Return the note on an answer, which `check` judges first."""
    return walk_through(record, answer, verdict_on(record, {record.task.id: answer}, Printed()))


def rows(note):
    """Return the rows of a note, without their numbers and without its head."""
    return [(code.strip(), sets) for _, code, sets in note.table[1:]]


def over_targets(query, keys, values, mask):
    scores = query @ keys.mT / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask[:, None], -torch.inf)
    weights = scores.softmax(1)
    return weights @ values, weights


def test_each_line_is_shown_with_what_it_sets():
    head, first, second, third, last = rows(walk(over_targets))
    assert head[1] == "query (2, 3, 5), keys (2, 4, 5), values (2, 4, 6), mask (2, 4) bool"
    assert first == (
        "scores = query @ keys.mT / query.shape[-1] ** 0.5",
        "scores (2, 3, 4)",
    )
    assert second[1] == "scores (2, 3, 4)"
    assert third[1].startswith("weights (2, 3, 4) ◀ ")
    assert last == ("return weights @ values, weights", "context (2, 3, 6), weights (2, 3, 4)")


def test_the_line_is_marked_that_check_points_at():
    relation = verdict_on(RECORD, {"attend": over_targets}, Printed()).relation
    note = walk(over_targets)
    (marked,) = [sets for _, sets in rows(note) if "◀" in sets]
    assert "At `weights = scores.softmax(1)`" in marked
    number = re.search(r"At `[^`]*` \(line (\d+)\)", marked)[1]
    assert f"line {number}" in relation or "line" not in relation
    assert note._repr_html_().count("◀ ") == 2  # the line, and what the mark stands for


def test_of_a_right_answer_no_line_is_marked():
    note = walk(attend)
    assert line_by_line.PASSED in note.lines
    assert "◀" not in repr(note)


def test_only_values_of_the_answer_are_shown():
    """A right context would give away what the answer, a table of zeros, is to become."""

    def zeros(query, keys, values, mask):
        weights = torch.zeros(*query.shape[:2], keys.shape[1])
        return 0 * (weights @ values), weights

    html = walk(zeros)._repr_html_()
    given = {
        f"{number:.3g}"
        for case in CASES
        for x in case.inputs.values()
        for number in x.double().flatten().tolist()
    }
    shown = {*re.findall(r"<td[^>]*>([^<]*)</td>", html)}
    assert "0" in shown
    assert shown <= given | {"0", "-0"}


def in_loops(query, keys, values, mask):
    scores = torch.zeros(*query.shape[:2], keys.shape[1])
    for row in range(query.shape[1]):
        for column in range(keys.shape[1]):
            scores[:, row, column] = (query[:, row] * keys[:, column]).sum(-1)
    count = 0
    while count < 17:
        count += 1
    return scores @ values, scores


def test_of_a_loop_the_first_rounds_are_shown():
    shown = rows(walk(in_loops))
    assert [sets for code, sets in shown if code == "count += 1"] == [
        "count 1",
        "count 2",
        "count 3",
    ]
    assert ("… and 14 more rounds", "") in shown
    assert [sets for code, sets in shown if code.startswith("for row")] == [
        "row 0",
        "row 1",
        "row 2",
    ]
    assert [sets for code, sets in shown if code.startswith("for column")] == ["column 0"] * 3
    assert shown.count(("… and 3 more rounds", "")) == 3


def softmax(scores):
    shares = scores.exp()
    return shares / shares.sum(-1, keepdim=True)


def with_helpers(query, keys, values, mask):
    products = [q @ k.T for q, k in zip(query, keys, strict=True)]
    weights = torch.stack([softmax(x) for x in products * 3])[: len(query)]
    return weights @ values, weights


def test_helpers_are_shown_and_calls_into_a_library_stay_one_line():
    note = walk(with_helpers)
    shown = rows(note)
    assert shown[1][1].startswith("products a list of 2: (3, 4), (3, 4)")
    assert [code for code, _ in shown].count("shares = scores.exp()") == 3
    assert ("… and 3 more calls of `softmax`", "") in shown
    own = {line.strip() for line in Path(__file__).read_text().splitlines()}
    assert {code for code, _ in shown if "…" not in code} <= own


def fails(query, keys, values, mask):
    with contextlib.suppress(RuntimeError):
        query @ query
    return keys @ mask


def test_an_answer_that_fails_is_shown_up_to_its_exception():
    *_, (code, sets) = rows(walk(fails))
    assert code == "return keys @ mask"
    assert sets.startswith("RuntimeError: ")


def endless(query, keys, values, mask):
    while True:
        query = query + 1


def test_an_endless_loop_is_cut():
    record = replace(RECORD, task=replace(TASK, seconds=0.05))
    note = walk(endless, record)
    assert "still running" in note.lines[-1]
    assert [sets for code, sets in rows(note) if code == "query = query + 1"] == [
        "query (2, 3, 5)"
    ] * 3
    assert re.search("… and .* more rounds", repr(note))


def huge(query, keys, values, mask):
    wide = torch.arange(1600.0).view(40, 40)
    a = b = c = d = wide[:8, :8]
    a = b = c = d = wide[:8, :8] / 7
    a = b = c = d = wide[:8, :8] / 70
    a = b = c = d = wide[:8, :8] / 700
    a = b = c = d = wide[:8, :8] / 7000
    return "x" * 10**6, a + b + c + d


def test_what_is_shown_is_bounded():
    html = walk(huge)._repr_html_()
    assert MOST_BYTES / 2 < len(html) < 200_000
    assert 'alt="wide: 40 rows, 40 columns, from 0 to 1.6e+03"' in html


def test_values_of_any_kind_are_shown():
    class Rude:
        def __repr__(self):
            raise RuntimeError

    cell = line_by_line.Walk([], [], "")
    shown = {
        name: cell.shown(name, value)[1]
        for name, value in {
            "number": torch.tensor(0.5),
            "none": torch.empty(0, 3, 2),
            "complex": torch.ones(2, dtype=torch.complex64),
            "rude": Rude(),
            "rudes": [Rude()],
        }.items()
    }
    assert shown["number"] == "0.5"
    assert shown["none"] == "(0, 3, 2)"
    assert shown["rude"] == "a Rude"
    assert "<td" in cell.shown("x", torch.tensor([[1.0, -torch.inf, torch.nan]]))[2]


class Doubles(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = nn.Parameter(torch.ones(1))

    def forward(self, query, keys, values, mask):
        self.seen = query * self.factor
        return self.twice(self.seen), keys

    def twice(self, x):
        return 2 * x


def test_of_a_module_forward_and_its_other_methods_are_shown():
    task = replace(TASK, answer_type="module")
    record = replace(RECORD, task=task)
    shown = rows(walk(Doubles, record))
    assert shown[1] == ("self.seen = query * self.factor", "self.seen (2, 3, 5)")
    assert ("return 2 * x", "returned (2, 3, 5)") in shown


def test_other_tracing_goes_on_afterwards():
    before = sys.gettrace()
    walk(attend)
    assert sys.gettrace() is before


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("def entropy(weights): ...", "returns nothing yet"),
        ("entropy = 3", "The task asks for a function"),
        ("pass", "There is no `entropy` yet"),
        ("four_sick_maps = {}", "dictionary of choices"),
        ("next_letter = len", "what a network has learned"),
        ("def test_attend(attend): ...", "is a test"),
    ],
)
def test_where_there_is_nothing_to_go_through_one_sentence_says_so(definition, expected):
    names = {"steps": steps}
    exec(definition, names)
    (task,) = {*names} & {*bank.names()} or {"entropy"}
    note = eval(f'steps("{task}")', names)
    (line,) = note.lines
    assert expected in line
    assert not note.table


def test_a_name_that_is_none_is_told_apart():
    assert 'Did you mean `steps("entropy")`?' in repr(steps("Entropy"))
