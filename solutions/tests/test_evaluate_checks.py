"""Test the measurement of the checks: its counts are right, and its answers cover the course."""

import json
import re
from collections import Counter

import pytest

from solutions import evaluate_checks, labelled
from solutions.build import chosen

ROUND = """
# %% entropy · right · by-torch
# source: a test
def entropy(weights):
    return torch.special.entr(weights).sum(-1)

# %% entropy · wrong · mean
# source: a test
# mistake: the mean
def entropy(weights):
    return torch.special.entr(weights).mean(-1)

# %% entropy · wrong · type
# source: a test
def entropy(weights):
    return 'a text'

# %% entropy · wrong · in-truth-right
# source: a test
def entropy(weights):
    return torch.special.entr(weights).sum(-1)

# %% clip_together · right · in-truth-wrong
# source: a test
def clip_together(of_keys, of_queries, limit):
    return of_keys, of_queries, limit
"""


def test_it_counts_what_is_accepted_refused_and_diagnosed(tmp_path, capsys):
    file = tmp_path / "round.py"
    file.write_text(ROUND, encoding="utf-8")
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
    assert starts == ["round", "entropy", "clip_together", "round,"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("# %% entropie · right · loop\n# source: a test\n", "no task is called entropie"),
        ("# %% entropy · loop\n# source: a test\n", "begin each answer with a line"),
        ("", "begin each answer with a line"),
        ("# %% entropy · right · loop\ndef entropy(weights): ...\n", "write '# source: …'"),
    ],
)
def test_what_is_no_labelled_answer_is_refused(tmp_path, text, complaint):
    file = tmp_path / "round.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(complaint)):
        labelled.labelled(file)


def test_what_cannot_be_read_is_one_line(tmp_path):
    for path in (tmp_path, tmp_path / "none.py"):
        with pytest.raises(SystemExit, match=r"Cannot read .*, a file of labelled answers: "):
            evaluate_checks.main([path])


def test_the_answers_cover_the_course_and_every_wrong_one_says_what_is_wrong():
    readme = labelled.ROUNDS[0].with_name("README.md").read_text(encoding="utf-8")
    tasks = {exercise.task.id for _, exercise in chosen()}
    for file in labelled.ROUNDS:
        answers = labelled.labelled(file)
        right = sum(answer.right for answer in answers)
        assert all(answer.right or answer.mistake for answer in answers)
        assert f"| `{file.name}` | {len(answers)} | {right} | {len(answers) - right} |" in readme
    for file in labelled.ROUNDS[:2]:
        of_task = Counter(answer.task for answer in labelled.labelled(file))
        assert of_task.keys() <= tasks  # those that there were at the time
        assert len(of_task) > 50
        assert min(of_task.values()) >= 3
