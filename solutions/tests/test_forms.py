"""The notebook of a test is built, run as a learner runs it, and tells no answer."""

import os
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from solutions import forms
from solutions.items import all_items
from utils.checks import progress_file
from utils.items import item_bank, understanding
from utils.items.item_bank import FORMS, StoredItem, Version
from utils.items.marking import accepted

ROOT = Path(__file__).parents[2]
OF_EACH = 4


def with_curves(items: list[StoredItem]) -> list[StoredItem]:
    return [item for item in items if "lines" in str(item.versions[0].options)]


@pytest.fixture(scope="module")
def bank() -> list[StoredItem]:
    """Return a bank whose tests ask the same, in other numbers: choices, a number and curves."""
    warm_ups = [item for item in item_bank.items().values() if not item.form]
    own = [*warm_ups[: OF_EACH - 1], *with_curves(warm_ups)[:1]]
    assert any(item.typed for item in own)
    return [
        replace(item, id=f"{item.id}-{form.lower()}", form=form, versions=item.versions[first:])
        for form, first in (("A", 0), ("B", 1))
        for item in own
    ]


@pytest.fixture
def course(bank, tmp_path, monkeypatch):
    """Make a folder of exercises with the tests in it, and work there."""
    folder = tmp_path / "exercises"
    folder.mkdir()
    item_bank.save(bank, folder / "items.json")
    forms.write(bank, folder)
    monkeypatch.setattr(item_bank, "FILE", folder / "items.json")
    item_bank.items.cache_clear()
    monkeypatch.chdir(folder)
    yield folder
    item_bank.items.cache_clear()


def right(item: StoredItem) -> str:
    version = item.versions[0]
    if item.typed:
        return f"{accepted(version.options[version.right])[0]:g}"
    return "abcde"[version.right]


def of(bank, form):
    return [item for item in bank if item.form == form]


def test_it_runs_and_keeps_what_is_written(bank, course, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    path = course / "understanding_before.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    own = of(bank, "A")
    written = [f'"{right(own[0])}"', '"?"', '"no letter"', '""']
    for item, text in zip(own, written, strict=True):
        (cell,) = (cell for cell in notebook.cells if cell.id == f"{item.id}-answer")
        cell.source = f'answer("{item.id}", {text})'
    file = f"item_bank.Path('{course}/items.json')"
    patch = f"from utils.items import item_bank\nitem_bank.FILE = {file}"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(patch))
    client = NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(course)}}
    )
    said = [
        output.data["text/plain"]
        for cell in client.execute().cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    assert said[0] == f"Kept: {right(own[0])}"
    assert said[1] == "Kept: I do not know"
    assert "'no letter' is none of the options: write a letter from a to" in said[2]
    assert said[3].startswith("Not answered yet")
    assert said[4].startswith("Before the course: 1 of 4 right, 2 not answered")
    assert "01 · Attention concepts, section 3" in said[4]
    assert "believes" not in said[4]
    assert own[1].why not in said[4]
    assert (course.parent / "understanding.json").exists()


def test_a_build_writes_the_same_bytes_and_nothing_without_items(bank, course, tmp_path):
    before = {name: (course / f"{name}.ipynb").read_bytes() for name in FORMS.values()}
    forms.write(bank, course)
    assert {name: (course / f"{name}.ipynb").read_bytes() for name in before} == before
    warm_ups = [item.stored() for item in all_items()[:1]]
    forms.write([replace(warm_ups[0], form="")], tmp_path)
    assert not [*tmp_path.glob("*.ipynb")]


def test_no_answer_stands_in_it_and_all_is_shown(bank):
    for form in FORMS:
        own = of(bank, form)
        notebook = forms.notebook(form, own)
        text = nbformat.writes(notebook)
        for item in own:
            assert item.why not in text
            assert not [slug for slug in item.beliefs if slug in text]
            (asked,) = (cell for cell in notebook.cells if cell.id == item.id)
            letters = [f"<b>{letter})</b>" in asked.source for letter in "abcde"]
            assert sum(letters) == (0 if item.typed else len(item.versions[0].options))
            pictures = asked.get("attachments", {})
            assert asked.source.count("attachment:") == len(pictures)
            assert len(pictures) == (len(item.versions[0].options) if with_curves([item]) else 0)
        again = [
            replace(item, versions=[replace(item.versions[0], beliefs=turned(item.versions[0]))])
            for item in own
        ]
        assert nbformat.writes(forms.notebook(form, again)) == text  # whatever is right


def turned(version: Version) -> list[str]:
    return [*version.beliefs[1:], version.beliefs[0]]


def test_what_is_not_plain_text_stays_whole_in_markdown():
    text = "Is `<pad>` seen\nby <s> * a * b?"
    code = {"code": "a = 1\n\n\nb = a < 2"}
    version = Version(text, [code], ["<pad>", "*x*"], ["", "s"])
    item = StoredItem("odd", "01.3", "A", "", False, [version])
    (cell,) = (each for each in forms.notebook("A", [item]).cells if each.id == "odd")
    _, text, shown, options = cell.source.split("\n\n")  # no empty line within any
    assert "&lt;s&gt;" in text
    assert "a = 1<br><br><br>b = a &lt; 2" in shown
    assert "&lt;pad&gt;" in options
    assert "<em>x</em>" in options


def test_both_tests_say_what_left_stayed_and_came(bank, course):
    def give(form, chosen):
        for item in of(bank, form):
            version = item.versions[0]
            slug = chosen if chosen in version.beliefs else ""
            place = [*version.beliefs].index(slug)
            text = str(accepted(version.options[place])[0]) if item.typed else "abcde"[place]
            assert understanding.answer(item.id, text).heading.startswith("Kept")

    give("A", "scores-as-weights")
    give("B", "")
    said = repr(understanding.understanding())
    assert "before | 3 of 4 | 0" in said
    assert "after | 4 of 4 | 0" in said
    assert "Normalised gain: 1.00" in said
    assert "Gone: before, your answers were those of somebody who believes that" in said
    assert "section 3" in said
    give("B", "scores-as-weights")
    assert "Still there" in repr(understanding.understanding())
    give("A", "")
    assert "New: after the course" in repr(understanding.understanding())


def test_a_damaged_file_is_put_aside_and_strange_entries_are_ignored(bank, course):
    first = of(bank, "A")[1]
    file = course.parent / "understanding.json"
    file.write_text(f'{{"{first.id}": 3, "gone": "a", "{of(bank, "A")[2].id}": "z"}}')
    assert repr(understanding.understanding()).startswith("Nothing is answered yet")
    file.write_text("{ damaged")
    assert "begun anew" in repr(understanding.answer(first.id, "a"))
    assert (course.parent / "understanding.damaged.json").read_text() == "{ damaged"
    assert progress_file.load_test_answers() == {first.id: "a"}
    assert "No question is called" in repr(understanding.answer("nothing", "a"))


@pytest.mark.parametrize(("form", "name"), FORMS.items())
def test_the_stored_notebook_is_what_the_bank_gives(form, name):
    path, own = item_bank.FILE.with_name(f"{name}.ipynb"), item_bank.form(form)
    assert path.exists() == bool(own), "run `make exercises`"
    if own:
        stored, made = nbformat.read(path, as_version=4), forms.notebook(form, own)
        expected, actual = ([cell.source for cell in each.cells] for each in (made, stored))
        assert actual == expected, "run `make exercises`"
