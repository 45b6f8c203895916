"""The learners' zip: the same bytes every time, no solution in it, and it works."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from grading import release
from grading.__main__ import main
from grading.tests.made import FULL, NOTEBOOK, PATHS, class_file, rows
from solutions import build
from tests import needs
from utils import notebook_file

LINK = re.compile(r"""\]\(([^)#\s]+)|(?:href|src)="([^"#]+)""")  # in Markdown, or HTML in it


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Path:
    """Unpack the zip."""
    folder = tmp_path_factory.mktemp("release")
    release.write_zip(folder / "course.zip")
    with zipfile.ZipFile(folder / "course.zip") as archive:
        archive.extractall(folder)
    return folder / "attention-course"


def test_the_same_files_give_the_same_bytes(tmp_path):
    digests = {release.write_zip(tmp_path / name) for name in ("one.zip", "two.zip")}
    assert len(digests) == 1


def test_it_holds_the_course_and_nothing_secret_or_left_over(course):
    names = {path.name for path in course.iterdir()}
    assert names == {*release.FILES, *release.FOLDERS}
    inside = [path.relative_to(course).parts for path in course.rglob("*")]
    assert not [parts for parts in inside if set(parts) & {*release.SECRET, *release.LEFT_OUT}]
    assert len(list((course / "exercises").glob("[0-9]*.ipynb"))) == 11
    rubric = "**Rubric**"
    assert not [path for path in course.rglob("*.ipynb") if rubric in path.read_text("utf-8")]


def test_every_link_in_it_leads_somewhere(course):
    texts = [(page, page.read_text("utf-8")) for page in course.rglob("*.md")]
    for path in course.rglob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        texts += [(path, cell.source) for cell in cells if cell.cell_type == "markdown"]
    links = [(page, "".join(found)) for page, text in texts for found in LINK.findall(text)]
    inside = [(page, link) for page, link in links if not re.match(r"\w+:", link)]
    assert len(inside) > 100
    assert [(page, link) for page, link in inside if not (page.parent / link).exists()] == []


def test_of_a_dead_link_its_text_is_left(tmp_path):
    text = "[`plan`](../workshop/plan.md#top), ![it](x.png), [a](b.md), [c](https://x.org), [d](#e)"
    there = [tmp_path / "docs" / "b.md"]
    left = "`plan`, ![it](x.png), [a](b.md), [c](https://x.org), [d](#e)"
    assert release.without_dead_links(text, tmp_path / "docs", there) == left


def test_answers_that_somebody_has_kept_stay_at_home(tmp_path, monkeypatch):
    for name in ("mine_01_attention_concepts.ipynb", "mine_01_attention_concepts_2.ipynb"):
        (tmp_path / "exercises").mkdir(exist_ok=True)
        (tmp_path / "exercises" / name).touch()
    monkeypatch.setattr(release, "ROOT", tmp_path)
    assert [path.name for path in release.contents()] == sorted(release.FILES)


@needs.sandbox
@needs.make
def test_what_a_learner_hands_in_from_it_is_graded(course, tmp_path):
    """Ada hands in what a class file asks for, Bob all that he has, with one task not written."""
    (handed_in := tmp_path / "handed-in").mkdir()
    own, broken = (course / "exercises" / PATHS[number].name for number in ("01", "04"))
    untouched = own.read_bytes(), broken.read_bytes()
    week = class_file(tmp_path / "week.toml", handed_in, 'dropped = ["dark_column"]\n')
    shutil.copy(week, course / "week1.toml")
    (course / ".venv" / "bin").mkdir(parents=True)  # as `make` leaves it once it has installed
    python = course / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (course / ".venv" / "ready").touch()
    solved = build.learner_notebook(PATHS["01"], build.solved)
    nbformat.write(solved, own)
    broken.write_text("{")
    said = hands_in(course, "CLASS=week1.toml", "NAME=Ada Lovelace")
    assert "01_attention_concepts, saved 2" in said
    assert said.splitlines()[0].endswith(": everything is written.")
    assert "04" not in said
    shutil.copy(course / "hand-in" / "Ada Lovelace.zip", handed_in)

    for cell in solved.cells:
        if "def entropy" in cell.source:
            cell.source = notebook_file.stubs(NOTEBOOK)["entropy"]
    nbformat.write(solved, own)
    said = hands_in(course, "NAME=Bob")
    assert "not written yet: entropy." in said
    assert "04_scaled_dot_product_attention: left out, for it cannot be read" in said
    shutil.copy(course / "hand-in" / "Bob.zip", handed_in)
    for path, data in zip((own, broken), untouched, strict=True):
        path.write_bytes(data)

    assert main([str(week), "--workers", "1"]) == 0
    grades = {row["Student"]: float(row["Grade"]) for row in rows(tmp_path / "out" / "grades.csv")}
    assert grades == {"Ada Lovelace": FULL["01"], "Bob": FULL["01"] - 3}
    files = rows(tmp_path / "out" / "files.csv")
    assert {row["notebook"] for row in files} == {NOTEBOOK}


def hands_in(course: Path, *words: str) -> str:
    """Run `make hand-in` in a copy of the course, and return what it says."""
    environment = {**os.environ, "PYTHONPATH": str(course)}
    command = ["make", "--no-print-directory", "hand-in", *words]
    run = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


@needs.unix
def test_an_account_that_may_not_write_there_is_told_what_to_do(monkeypatch):
    monkeypatch.setattr(release, "ZIP", Path("/proc/dist/course.zip"))
    with pytest.raises(SystemExit, match=r"/proc/dist/course\.zip: .*a copy of the course"):
        release.main()


@pytest.mark.nightly
def test_its_tests_pass_there(course):
    command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(course), "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]


@pytest.mark.nightly
def test_untouched_exercises_run_there_and_no_check_passes(tmp_path):
    release.write_zip(tmp_path / "course.zip")
    release.prove(tmp_path / "course.zip", "01")


def test_a_check_that_passes_untouched_work_is_noticed(tmp_path, capfd):
    built = release.ROOT / "exercises" / "01_attention_concepts.ipynb"
    answer = "def normalised_heatmap(scores):\n    return scores.softmax(-1)"
    notebook = nbformat.read(built, as_version=4)
    (stub,) = (cell for cell in notebook.cells if "def normalised_heatmap" in cell.source)
    stub.source = answer
    release.write_zip(tmp_path / "course.zip")
    replaced = pytest.warns(UserWarning, match="Duplicate name")
    with zipfile.ZipFile(tmp_path / "course.zip", "a") as archive, replaced:
        archive.writestr(f"attention-course/exercises/{built.name}", nbformat.writes(notebook))
    with pytest.raises(subprocess.CalledProcessError):
        release.prove(tmp_path / "course.zip", "01")
    assert re.search("✓ .*: passed", capfd.readouterr().out)
