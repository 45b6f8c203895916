"""Test that the counts of self-tests are stored, and that changed code makes them due again."""

import shutil

import pytest

from solutions import digests, facts, selftest
from solutions.build import chosen, exercises_of
from solutions.tests.test_exercises import every_notebook

PATH, ENTROPY = chosen("entropy")[0]
FILE = f"solutions/n{PATH.stem}/entropy.py"
DIGEST = digests.digest(PATH, ENTROPY)


@every_notebook
def test_every_selftest_is_up_to_date(path):
    """Each self-test has passed with the code as it is now.

    Every night, `python -m solutions.selftest --all` runs all of them.
    """
    stale = [
        exercise.task.id
        for exercise in exercises_of(path)
        if not selftest.is_up_to_date(path, exercise)
    ]
    assert stale == [], "run `python -m solutions.selftest`"


def test_the_counts_that_are_quoted_are_of_these_exercises():
    counts = facts.stored_counts()
    expected = {
        exercise.task.id: (len(exercise.mistakes), len(exercise.variants))
        for _, exercise in chosen()
    }
    names = "misconceptions", "variants"  # a light task has none
    actual = {task: tuple(each.get(name, 0) for name in names) for task, each in counts.items()}
    assert [*actual.items()] == [*expected.items()], "run `python -m solutions.selftest`"
    pages = "".join(page.read_text(encoding="utf-8") for page in facts.pages())
    assert facts.in_words(facts.sum_of(counts.values())) in pages


@pytest.mark.parametrize(
    ("file", "old", "new", "matters"),
    [
        (
            FILE,
            '"""The task “Entropy”: right answers and known mistakes."""',
            '"""A docstring."""  # and a comment',
            False,
        ),
        (FILE, "exercise =", "def more(): ...\n\n\nexercise =", False),
        (FILE, ".sum(-1)", ".mean(-1)", True),
        ("solutions/wrong_pieces.py", "numbers.sum(", "numbers.mean(", True),
        ("solutions/wrong_pieces.py", "unflatten(", "flatten(", False),
        ("solutions/n01_attention_concepts/four_patterns.py", "cases=", "other=", False),
        ("solutions/misconceptions.py", "shares", "parts", False),
        ("solutions/build.py", "def main() -> None:", "def main() -> None:\n    1 + 1", False),
        ("utils/checks/compare.py", "return ", "return not ", True),
        ("utils/training.py", "return ", "return not ", False),
        (f"solutions/{PATH.name}", "safe.log()", "safe.exp()", True),
        (f"solutions/{PATH.name}", "(scores / temperature)", "(scores * temperature)", False),
    ],
)
def test_a_digest_changes_with_what_decides_a_selftest(
    file, old, new, matters, tmp_path, monkeypatch
):
    for folder in ("solutions", "utils"):
        shutil.copytree(
            facts.ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.npz", "*.js")
        )
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(digests, "ROOT", tmp_path)
    caches = (digests._engine, digests._pieces, digests._file)
    try:
        for cache in caches:
            cache.cache_clear()
        actual = digests.digest(tmp_path / "solutions" / PATH.name, ENTROPY)
    finally:
        for cache in caches:
            cache.cache_clear()
    assert (actual != DIGEST) == matters


@pytest.mark.parametrize(
    ("arguments", "run"),
    [
        ([], ["entropy"]),
        (["--all"], [exercise.task.id for _, exercise in chosen()]),
        (["02", "--changed"], []),
        (["soft_lookup"], ["soft_lookup"]),
    ],
)
def test_only_what_has_changed_or_is_named_is_run(arguments, run, monkeypatch, capsys):
    counts = {exercise.task.id: {"mutants": 1} for _, exercise in chosen()}
    kept, done = [], []

    def problems_of(path, exercise, counts):
        done.append(exercise.task.id)
        counts["mutants"] = 2
        return ["a problem"] if exercise.task.id == "soft_lookup" else []

    monkeypatch.setattr("sys.argv", ["selftest", *arguments])
    monkeypatch.setattr(facts, "stored_counts", lambda: counts | {"left over": {"mutants": 9}})
    monkeypatch.setattr(facts, "store_counts", kept.append)
    monkeypatch.setattr(selftest, "repeat_facts", lambda: None)
    monkeypatch.setattr(selftest, "problems_of", problems_of)
    monkeypatch.setattr(selftest, "is_up_to_date", lambda _, each: each.task.id != "entropy")
    assert selftest.main() == ("soft_lookup" in run)
    assert done == run
    assert kept[-1].keys() == counts.keys()
    for task in run:  # a task with a problem stays due
        assert kept[-1][task]["mutants"] == 2
        assert ("digest" in kept[-1][task]) == (task != "soft_lookup")
    assert ("PROBLEM: a problem" in capsys.readouterr().out) == ("soft_lookup" in run)
