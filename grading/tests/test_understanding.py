"""Tests before and after the course are read, earn nothing, and give the figures of the overview.

The bank here is made up of warm-up items, so that nothing depends on the items of the real tests.
"""

import csv
import re
import statistics
from dataclasses import replace
from html import unescape
from random import Random

import nbformat
import pytest

from grading import grader
from grading.__main__ import main
from grading.grader import Options
from grading.report.store import Store
from grading.report.tables import learners
from grading.report.understanding import taken_by, understood
from grading.tests.made import class_file, code, content, notebook, rows, write_files
from solutions import forms
from tests import needs
from utils import notebook_file
from utils.items import item_bank
from utils.items.marking import UNKNOWN, accepted, held

ITEMS = 8
HOW_MANY = 60
BELIEF = "scores-as-weights"

pytestmark = needs.sandbox  # a class is graded


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    """Replace the item bank by one whose two tests ask the same, in other numbers."""
    warm_ups = [item for item in item_bank.items().values() if not item.form][:ITEMS]
    made = [
        replace(item, id=f"{item.id}-{form.lower()}", form=form, versions=item.versions[first:])
        for form, first in (("A", 0), ("B", 1))
        for item in warm_ups
    ]
    file = tmp_path_factory.mktemp("bank") / "items.json"
    item_bank.save(made, file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_bank, "FILE", file)
        forget()
        yield made
    forget()


def forget():
    item_bank.items.cache_clear()
    notebook_file.items_of.cache_clear()


def answer_of(item, belief: str) -> str:
    """Return the answer of whoever holds a belief, "" being the right one; "?" if none shows it."""
    version = item.versions[0]
    if belief not in version.beliefs:
        return UNKNOWN
    place = [*version.beliefs].index(belief)
    return f"{accepted(version.options[place])[0]:g}" if item.typed else "abcde"[place]


def handed_in(items, answers) -> bytes:
    """Return the notebook of a test, with answers written into its cells."""
    test = forms.notebook(items[0].form, items)
    for cell in test.cells:
        for item in items:
            if cell.source == f'answer("{item.id}", "")' and item.id in answers:
                cell.source = f'answer("{item.id}", {answers[item.id]})'
    return nbformat.writes(test).encode()


def made_up(items, chance: float, believes: bool, random: Random) -> dict[str, str]:
    """Return item → answer, as it stands in the cell, of a learner who is right by chance."""
    answers = {}
    for item in items:
        beliefs = item.versions[0].beliefs
        if BELIEF in beliefs and believes:
            wrong = BELIEF
        elif random.random() < chance:
            wrong = ""
        else:
            wrong = random.choice([*beliefs, UNKNOWN])
        answers[item.id] = f'"{answer_of(item, wrong)}"'
    return answers


@pytest.fixture(scope="module")
def class_of_60(bank, tmp_path_factory):
    """Hand in both tests of a class; four take one of the two, and one notebook is untouched."""
    random, files = Random(0), {}
    before, after = ([item for item in bank if item.form == form] for form in "AB")
    for number in range(HOW_MANY):
        folder = f"Learner {number:02}"
        if number != 0:
            own = made_up(before, number / HOW_MANY / 2, number % 3 == 0, random)
            files[f"{folder}/understanding_before.ipynb"] = handed_in(before, own)
        if number not in (1, 2, 3):
            own = made_up(after, 0.5 + number / HOW_MANY / 2, number % 6 == 0, random)
            files[f"{folder}/renamed.ipynb"] = handed_in(after, own)
    files["Learner 01/understanding_after.ipynb"] = handed_in(after, {})
    return write_files(tmp_path_factory.mktemp("class"), files)


@pytest.fixture(scope="module")
def graded(class_of_60, tmp_path_factory):
    out = tmp_path_factory.mktemp("grades") / "out"
    grader.grade(class_of_60, out, Options(seed=1, workers=1))
    return out


def right(row) -> bool:
    """Decide, from the bank alone, whether a row of `understanding.csv` is right."""
    item = item_bank.items()[row["item"]]
    return row["answer"] == answer_of(item, "")


def by_learner(graded, form):
    """Return learner → rows of a test in `understanding.csv`."""
    table = {}
    for row in rows(graded / "understanding.csv"):
        if row["form"] == form:
            table.setdefault(row["learner"], []).append(row)
    return table


def figures(graded):
    store = Store(graded)
    class_ = learners(store.all(), store.rules)
    return understood([taken for _, taken in taken_by(class_)])


def words(graded) -> str:
    """Return the text of the overview's section on the tests."""
    page = (graded / "overview.html").read_text(encoding="utf-8")
    section = page.partition("<h2>Before and after</h2>")[2].partition("<h2>What the class")[0]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", section)).split())


def test_the_answers_are_those_that_were_handed_in(graded):
    before, after = by_learner(graded, "before"), by_learner(graded, "after")
    assert len(before) == HOW_MANY - 1
    assert len(after) == HOW_MANY - 3
    assert {len(own) for own in [*before.values(), *after.values()]} == {ITEMS}
    for row in rows(graded / "understanding.csv"):
        assert row["right"] == str(int(right(row)))
        if row["belief"]:
            item = item_bank.items()[row["item"]]
            assert row["answer"] == answer_of(item, row["belief"])
    assert "59 learners took the first, 57 the second, 56 both." in words(graded)
    assert "Not counted: 1 handed in without any answer" in words(graded)


def test_the_gain_is_that_of_plain_arithmetic(graded):
    before, after = by_learner(graded, "before"), by_learner(graded, "after")
    both = before.keys() & after.keys()
    scores = [
        [sum(map(right, table[learner])) / ITEMS for learner in sorted(both)]
        for table in (before, after)
    ]
    gains = [(b - a) / (1 - a) for a, b in zip(*scores, strict=True) if a < 1]
    actual = figures(graded)
    assert actual.both == len(both) == 56
    assert actual.gain == pytest.approx(sum(gains) / len(gains))
    first, second = (sum(own) / len(own) for own in scores)
    assert actual.of_means == pytest.approx((second - first) / (1 - first))
    low, high = actual.interval
    spread = statistics.stdev(gains) / len(gains) ** 0.5
    assert low == pytest.approx(actual.gain - 1.96 * spread, abs=0.3 * spread)
    assert high == pytest.approx(actual.gain + 1.96 * spread, abs=0.3 * spread)
    said = f"Normalised gain: {actual.gain:.2f} , 95 % interval {low:.2f} to {high:.2f}"
    assert said.replace("-", "−") in words(graded)
    assert f"with both before 56 {100 * first:.0f} %" in words(graded)


def test_a_belief_is_counted_as_by_hand(graded):
    """Whoever shows it twice or more holds it, as two to four items ask for it."""
    holding = {}
    for form in ("before", "after"):
        table = by_learner(graded, form)
        shown = {each: sum(row["belief"] == BELIEF for row in own) for each, own in table.items()}
        asked = sum(
            BELIEF in item_bank.items()[row["item"]].beliefs for row in next(iter(table.values()))
        )
        assert 2 <= asked <= 4
        holding[form] = {learner for learner, times in shown.items() if times >= 2}
        assert held([], {BELIEF: asked})[BELIEF] < 0.5
    both = by_learner(graded, "before").keys() & by_learner(graded, "after").keys()
    before, after = (holding[form] & both for form in ("before", "after"))
    (row,) = (row for row in figures(graded).beliefs if row.misconception.slug == BELIEF)
    assert row.before == (len(holding["before"]), 59)
    assert row.after == (len(holding["after"]), 57)
    assert (row.left, row.stayed, row.came) == (
        len(before - after),
        len(before & after),
        len(after - before),
    )
    assert row.left
    assert row.stayed
    assert f"{row.before[0]} of 59 {row.after[0]} of 57 {row.left} {row.stayed}" in words(graded)


def test_items_and_alpha_are_those_of_plain_arithmetic(graded):
    table = by_learner(graded, "before")
    matrix = [[int(right(row)) for row in own] for own in table.values()]
    of = len(matrix)
    shares = [sum(own[item] for own in matrix) / of for item in range(ITEMS)]
    totals = [sum(own) for own in matrix]
    variance = sum(total**2 for total in totals) / of - (sum(totals) / of) ** 2
    alpha = ITEMS / (ITEMS - 1) * (1 - sum(share * (1 - share) for share in shares) / variance)
    form, after = figures(graded).forms
    assert form.alpha == pytest.approx(alpha)
    assert f"Cronbach's alpha (KR-20): {alpha:.2f}" in words(graded)
    number = 2
    rest = [total - own[number] for total, own in zip(totals, matrix, strict=True)]
    own = [each[number] for each in matrix]
    mean_own, mean_rest = sum(own) / of, sum(rest) / of
    covariance = sum(a * b for a, b in zip(own, rest, strict=True)) / of - mean_own * mean_rest
    deviations = [
        (sum(value**2 for value in each) / of - (sum(each) / of) ** 2) ** 0.5
        for each in (own, rest)
    ]
    row = form.items[number]
    assert row.difficulty == pytest.approx(shares[number])
    assert row.discrimination == pytest.approx(covariance / (deviations[0] * deviations[1]))
    for each in [*form.items, *after.items]:
        assert sum(share for _, share, _ in each.options) == pytest.approx(1)
        assert sum(share for _, share, right in each.options if right) == each.difficulty
    letter, share, _ = row.options[0]
    given = [answers[number]["answer"] for answers in table.values()]
    assert (letter, share) == ("a", given.count("a") / of)


def test_a_copy_without_names_has_the_same_figures(graded, tmp_path):
    assert main(["anonymous", str(tmp_path / "copy"), "--out", str(graded)]) == 0
    ours, theirs = (
        (path / "understanding.csv").read_text() for path in (graded, tmp_path / "copy")
    )
    assert "Learner 0" not in theirs
    strip = [
        sorted(row[1:] for row in csv.reader(text.splitlines()))  # all but the names
        for text in (ours, theirs)
    ]
    assert strip[0] == strip[1]
    assert words(tmp_path / "copy") == words(graded)


# --- What a test must not do ----------------------------------------------------------------------


def test_odd_answers_stop_nothing_and_nothing_is_run(bank, tmp_path):
    items = [item for item in bank if item.form == "A"]
    choices = [item for item in items if not item.typed]
    typed = next(item for item in items if item.typed)
    number = accepted(typed.versions[0].options[typed.versions[0].right])[0]
    first, second, third, fourth, fifth, *_ = [item.id for item in choices]
    written = {
        first: f'" {answer_of(choices[0], "").upper()}) "',
        second: "b",  # without its quotes
        third: '"Ada Lovelace, =1+1"',
        fourth: "open('ran', 'w')",
        fifth: '"a")  # I think\n!echo (',
        typed.id: repr(str(number).replace(".", ",")),
    }
    data = handed_in(items, written)
    data = data.replace(b'understanding()"', b"while True: open('ran', 'w')\"")
    source = write_files(tmp_path / "in", {"Ada/x.ipynb": data, "Bob/broken.ipynb": data[:-90]})
    out = tmp_path / "out"
    grader.grade(source, out, Options(seed=1, workers=1))
    answers = {row["item"]: row for row in rows(out / "understanding.csv")}
    assert {row["learner"] for row in answers.values()} == {"Ada"}
    assert answers[first]["right"] == answers[typed.id]["right"] == "1"
    assert answers[second]["answer"] == "b"
    assert answers[fifth]["answer"] == "a"
    assert [answers[item]["answer"] for item in (third, fourth)] == ["", ""]
    (ada,) = (row for row in rows(out / "files.csv") if row["learner"] == "Ada")
    assert ada["notebook"] == "understanding_before"
    assert ada["reason"].startswith(f"a test, for no points; the answer to {third} cannot be read;")
    kept = b"".join(content(out).values())
    assert b"Ada Lovelace" not in kept
    assert not [*tmp_path.rglob("ran")]
    assert "Fewer than ten learners" in words(out)


def test_points_and_the_bytes_of_the_grades_stay_the_same(bank, tmp_path):
    own = notebook(*code("01"))
    exercises = {f"{name}/01.ipynb": own for name in ("Ada", "Bob")}
    exercises["Ada/again.ipynb"] = notebook("def entropy(weights):\n    return weights")
    before, after = ([item for item in bank if item.form == form] for form in "AB")
    tests = {"Ada/understanding_before.ipynb": handed_in(before, {before[1].id: '"a"'})}
    tests["Bob/b.ipynb"] = handed_in(after, {})
    outs = []
    for name, files in (("without", exercises), ("with", exercises | tests)):
        source = write_files(tmp_path / name, files)
        week = class_file(tmp_path / f"{name}.toml", source).rename(tmp_path / f"{name}.toml")
        outs.append(tmp_path / f"{name}-out")
        week.write_text(week.read_text().replace('"out"', f'"{name}-out"'))
        assert main([str(week), "--seed", "1", "--workers", "1"]) == 0
    without, with_ = (
        {name: (out / name).read_bytes() for name in ("grades.csv", "tasks.csv", "marks.csv")}
        for out in outs
    )
    assert without == with_
    assert not (outs[0] / "understanding.csv").exists()
    assert "Before and after" not in (outs[0] / "overview.html").read_text()
    assert grader.regrade(outs[1]) == []
