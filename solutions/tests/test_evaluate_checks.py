"""Test the measurement of the checks: its counts are right, and its answers cover the course."""

import json
import re
from collections import Counter

import pytest

from solutions import evaluate_checks, labelled
from solutions.build import chosen
from utils.checks import bank
from utils.checks.diagnosis.two_mistakes import find_apart
from utils.checks.feedback import explain
from utils.checks.kinds import values
from utils.checks.tasks import Answer

SUM = "def entropy(weights):\n    return torch.special.entr(weights).sum(-1)"
ANSWERS = [
    {"task": "entropy", "label": "right", "name": "by-torch", "code": SUM},
    {
        "task": "entropy",
        "label": "wrong",
        "name": "mean",
        "code": SUM.replace("sum", "mean"),
        "mistake": "the mean",
    },
    {
        "task": "entropy",
        "label": "wrong",
        "name": "type",
        "code": "def entropy(weights):\n    return 'a text'",
    },
    {"task": "entropy", "label": "wrong", "name": "in-truth-right", "code": SUM},
    {
        "task": "clip_together",
        "label": "right",
        "name": "in-truth-wrong",
        "code": "def clip_together(of_keys, of_queries, limit):\n    return of_keys, of_queries, 1",
    },
]


def test_it_counts_what_is_accepted_refused_and_diagnosed(tmp_path, capsys):
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, ANSWERS)), encoding="utf-8")
    evaluate_checks.main([file])
    *lines, last = capsys.readouterr().out.splitlines()
    counts = json.loads(last)
    assert {name: counts[name] for name in ("right", "accepted", "wrong", "refused")} == {
        "right": 2,
        "accepted": 1,
        "wrong": 3,
        "refused": 2,
    }
    assert sum(counts[name] for name in evaluate_checks.OUTCOMES) == 2
    assert counts["symptom"] == 1
    assert "        in truth: the mean" in lines
    starts = [line.split()[0] for line in lines if line[0] != " "]
    assert starts == ["mine", "entropy", "clip_together", "mine,"]


INVERTED_IN_ONE = """
import torch.nn.functional as F

def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.mT / query.shape[-1] ** 0.5
    if mask is None:
        return scores.softmax(-1) @ values, scores.softmax(-1)
    weights = (scores + ~mask * -1e9).softmax(-1)
    return F.scaled_dot_product_attention(query, keys, values, attn_mask=~mask), weights
"""
KEYS_AS_THEY_ARE = """
from torch import nn

from utils.attention import MultiHeadAttention

class PreNormBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        layers = nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim)
        self.feed_forward = nn.Sequential(*layers)
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, mask):
        context, _ = self.attention(self.norms[0](x), x, mask=mask)
        x = x + context
        x = x + self.feed_forward(x)
        return x
"""
ROUNDED = """
def gaussian_window(scores, centres, half_width):
    away = torch.arange(scores.shape[-1]) - centres.round().unsqueeze(-1)
    weights = masked_softmax(scores, away.abs() <= half_width)
    weights = weights * torch.exp(-2 * away**2 / half_width**2)
    return weights / weights.sum(-1, keepdim=True)
"""
SQUEEZED = """
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new_state = torch.tanh(torch.cat((word, fed, state), 1) @ W_update.T)
    scores = torch.bmm(encoder_states @ W.T, new_state.unsqueeze(2)).squeeze()
    weights = masked_softmax(scores, mask)
    context = weights.unsqueeze(1).bmm(encoder_states).squeeze()
    attentional = torch.tanh(torch.cat((context, new_state), 1) @ W_c.T)
    return attentional @ W_out.T, new_state, attentional, weights
"""


@pytest.mark.parametrize(
    ("task", "answer", "untrue"),
    [
        ("scaled_attention", INVERTED_IN_ONE, "You read the mask the other way round"),
        ("luong_step", SQUEEZED, "that come later"),
        ("PreNormBlock", KEYS_AS_THEY_ARE, "The norms are not used"),
        ("gaussian_window", ROUNDED, "the Gaussian is missing"),
        ("weights_without_padding", "pads-in-front-filled-with-zero", "Nothing is masked"),
        ("clip_together", "max-for-min-and-in-place", "makes `length` right"),
        ("masked_loss", "no-eos-mean-of-means", "At `for scores, row in"),
        ("PrecomputedKeys", "projects-each-step-batch-softmax", "All contexts are right"),
    ],
)
def test_what_was_once_told_and_not_so_is_told_no_more(task, answer, untrue):
    """The answers are code, or names of labelled ones."""
    stored = [each for each in labelled.labelled() if (each.task, each.name) == (task, answer)]
    (wrong,) = stored or [labelled.Labelled(task, "wrong", "mine", answer)]
    verdict = evaluate_checks.verdict(wrong)
    assert not verdict.passed
    assert untrue not in repr(explain(verdict))


WEIGHTS_FIRST = """
def soft_lookup(query, keys, values):
    weights = torch.softmax(query @ keys.T / query.shape[-1] ** 0.5, dim=-1)
    return weights, weights @ values
"""
STATE_LAST = """
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new_state = torch.tanh(torch.cat([word, fed, state], dim=1) @ W_update.T)
    scores = ((encoder_states @ W.T) @ new_state.unsqueeze(2)).squeeze(2)
    weights = masked_softmax(scores, mask)
    context = (weights.unsqueeze(1) @ encoder_states).squeeze(1)
    attentional = torch.cat([context, new_state], dim=1) @ W_c.T
    return attentional @ W_out.T, attentional, new_state, weights
"""
CONTEXT_SCORED = """
def small_step(state, keys, words):
    weights = torch.softmax(keys @ state, dim=0)
    context = weights @ keys
    readout = torch.tanh((context + state) / 2)
    return weights, words @ context
"""
ONES = """
def neighbour_mask(nodes, edges):
    mask = torch.zeros(nodes, nodes)
    mask[edges[:, 0], edges[:, 1]] = 1
    mask[edges[:, 1], edges[:, 0]] = 1
    return mask
"""
TOO_FAR_AND_TOO_SOON = """
def combined_mask(lengths, positions, src_len):
    places = torch.arange(src_len)
    words = places < lengths[:, None] - 1
    past = places < positions[:, None]
    return words[:, None, :] & past
"""


@pytest.mark.parametrize(
    ("task", "answer", "told"),
    [
        ("soft_lookup", WEIGHTS_FIRST, "With each in its own place, one fault is left: You divide"),
        ("luong_step", STATE_LAST, "`new_state` and `attentional` are returned in each other's"),
        ("neighbour_mask", ONES, "With the right type, one fault is left: Your nodes do not hear"),
        ("small_step", CONTEXT_SCORED, "compute, too, but your code makes no use of `readout`."),
        ("combined_mask", TOO_FAR_AND_TOO_SOON, "Two small changes make all"),
    ],
)
def test_what_is_told_of_a_slip_or_of_two(task, answer, told):
    verdict = evaluate_checks.verdict(labelled.Labelled(task, "wrong", "mine", answer))
    assert told in verdict.relation


NAN_REPLACED = """
def masked_softmax(scores, mask):
    weights = (scores + torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)).softmax(-1)
    return torch.where(weights.isnan(), 0.0, weights)
"""


def test_what_spoils_training_is_refused_though_all_values_are_right():
    answer = labelled.Labelled("masked_softmax", "wrong", "mine", NAN_REPLACED)
    verdict = evaluate_checks.verdict(answer)
    assert not verdict.passed
    assert "back to `scores` holds NaN or infinity" in verdict.message


def test_two_outputs_may_each_be_as_with_a_mistake_that_spares_the_other():
    record = bank.load("three_ports")
    names = ["the first port as given", "sorted, and turned in pairs"]
    one, other = (record.mistaken[name] for name in names)
    trials = record.trials(
        [
            Answer({**first.outputs, "second": second.outputs["second"]})
            for first, second in zip(one, other, strict=True)
        ]
    )
    (found,) = find_apart(record, trials)
    assert [mistake.name for mistake in found] == names


def test_a_fault_in_the_diagnosis_is_listed(tmp_path, monkeypatch, capsys):
    def fails(*given):
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(values, "find_exchange", fails)
    file = tmp_path / "mine.jsonl"
    file.write_text(json.dumps(ANSWERS[1] | {"code": f"{SUM} + weights.amax(-1)"}))
    evaluate_checks.main([file])
    fault = "FAULT in the diagnosis of `entropy`: ZeroDivisionError: of ours (test_evaluate_checks"
    assert fault in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"task": "entropie"}, "no task is called 'entropie'"),
        ({"label": "good"}, 'the label is "right" or "wrong", not'),
        ({"code": None}, 'write {"task": "…", "label": "…", "name": "…", "code": "…"}'),
        ({"sources": "a typing error"}, 'write {"task": "…"'),
    ],
)
def test_a_damaged_line_is_named(tmp_path, change, complaint):
    file = tmp_path / "mine.jsonl"
    file.write_text(f"{json.dumps(ANSWERS[0])}\n{json.dumps(ANSWERS[0] | change)}\n")
    with pytest.raises(ValueError, match=re.escape(f"{file}, line 2: {complaint}")):
        labelled.labelled(file)


def test_a_file_in_another_form_is_refused(tmp_path):
    file = tmp_path / "mine.jsonl"
    for text, complaint in [("", " has no answers"), ("# %% entropy\n", ", line 1: write {")]:
        file.write_text(text)
        with pytest.raises(ValueError, match=re.escape(f"{file}{complaint}")):
            labelled.labelled(file)


def test_what_cannot_be_read_is_one_line(tmp_path):
    for path in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(SystemExit, match=r"Cannot read .*, a file of labelled answers: "):
            evaluate_checks.main([path])


def test_the_answers_cover_the_course_and_every_wrong_one_says_what_is_wrong():
    page = labelled.FILE.with_suffix(".md").read_text(encoding="utf-8")
    tasks = {exercise.task.id for _, exercise in chosen()}
    answers = labelled.labelled()
    assert all(answer.right or answer.mistake for answer in answers)
    labels = Counter((answer.round, answer.right) for answer in answers)
    for number in range(1, answers[-1].round + 1):
        right, wrong = labels[number, True], labels[number, False]
        assert f"| {number} | {right + wrong} | {right} | {wrong} |" in page
    for number in (1, 2):
        of_task = Counter(answer.task for answer in answers if answer.round == number)
        assert of_task.keys() <= tasks  # those that there were at the time
        assert len(of_task) >= 40
        assert min(of_task.values()) >= 3


def test_the_lines_are_sorted_by_task_and_round():
    lines = [json.loads(line) for line in labelled.FILE.read_text(encoding="utf-8").splitlines()]
    places = [(line["task"], line["round"]) for line in lines]
    assert places == sorted(places)
