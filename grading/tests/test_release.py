"""The learners' zip: the same bytes every time, no solution in it, and it works."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from nbformat import v4

from grading import release


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
    assert len(list((course / "exercises").glob("*.ipynb"))) == 10
    assert not [parts for parts in inside if "workshop" in parts], "plans tell the predictions"
    rubric = "**Rubric**"
    assert not [path for path in course.rglob("*.ipynb") if rubric in path.read_text("utf-8")]


def test_answers_that_somebody_has_kept_stay_at_home(tmp_path, monkeypatch):
    for name in ("mine_01_attention_concepts.ipynb", "mine_01_attention_concepts_2.ipynb"):
        (tmp_path / "exercises").mkdir(exist_ok=True)
        (tmp_path / "exercises" / name).touch()
    monkeypatch.setattr(release, "ROOT", tmp_path)
    assert [path.name for path in release.contents()] == sorted(release.FILES)


@pytest.mark.nightly
def test_its_tests_pass_there(course):
    command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(course), "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]


def test_untouched_exercises_run_there_and_no_check_passes(course):
    path = course / "exercises" / "01_attention_concepts.ipynb"
    assert release.run_untouched(path, course) == 7


def test_a_check_that_passes_untouched_work_is_noticed(course):
    path = course / "exercises" / "answered.ipynb"
    cells = [
        "from utils.checks import check",
        "def normalised_heatmap(scores):\n    return scores.softmax(-1)",
        'check("normalised_heatmap")',
    ]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    path.write_text(v4.writes(notebook), "utf-8")
    with pytest.raises(AssertionError, match="normalised_heatmap"):
        release.run_untouched(path, course)
    path.unlink()
