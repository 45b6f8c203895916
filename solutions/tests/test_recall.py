"""What measures the checks counts rightly, and its answers cover the course."""

import json
from collections import Counter

import pytest

from solutions import recall
from solutions.build import chosen

MINE = {
    "entropy/right-by-torch": "def entropy(weights):\n"
    "    return torch.special.entr(weights).sum(-1)",
    "entropy/wrong-mean": "# mistake: the mean\ndef entropy(weights):\n"
    "    return torch.special.entr(weights).mean(-1)",
    "entropy/wrong-type": "def entropy(weights):\n    return 'a text'",
    "entropy/wrong-in-truth-right": "def entropy(weights):\n"
    "    return torch.special.entr(weights).sum(-1)",
    "clip_together/right-in-truth-wrong": "def clip_together(of_keys, of_queries, limit):\n"
    "    return of_keys, of_queries, limit",
}


@pytest.fixture
def folder(tmp_path):
    for name, code in MINE.items():
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# source: a test\n{code}\n")
    return tmp_path


def test_it_counts_what_is_accepted_refused_and_told(folder, capsys):
    recall.main(folder)
    *lines, last = capsys.readouterr().out.splitlines()
    counts = json.loads(last)
    assert {name: counts[name] for name in ("right", "accepted", "wrong", "refused")} == {
        "right": 2,
        "accepted": 1,
        "wrong": 3,
        "refused": 2,
    }
    assert sum(counts[name] for name in recall.FATES) == 2
    assert counts["symptom"] == 1
    assert "        in truth: the mean" in lines
    assert [line.split()[0] for line in lines if line[0] != " "] == ["entropy", "clip_together"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("entropie/right-one", "# source: a test\n", "no task is called entropie"),
        ("entropy/one", "# source: a test\n", "name it right-… or wrong-…"),
        ("entropy/right-one", "def entropy(weights): ...\n", "begin with '# source: …'"),
    ],
)
def test_what_is_no_labelled_answer_is_told(folder, name, text, said):
    file = folder / f"{name}.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    with pytest.raises(ValueError, match=said):
        recall.labelled(folder)


def test_the_answers_cover_the_course_and_every_wrong_one_says_what_is_wrong():
    answers = recall.labelled(recall.ANSWERS)
    tasks = [exercise.task.id for _, exercise in chosen()]
    of_task = Counter(answer.task for answer in answers)
    assert list(of_task) == tasks
    assert min(of_task.values()) >= 3
    assert len(answers) >= 150
    assert all(answer.right or answer.mistake for answer in answers)
    readme = (recall.ANSWERS / "README.md").read_text()
    right = sum(answer.right for answer in answers)
    assert f"{len(answers)} answers" in readme
    assert f"{right} right and {len(answers) - right} wrong" in readme
