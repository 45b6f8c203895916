"""A class in shards, put together, gives the bytes of one run; what does not fit is one line."""

import json
import shutil
from pathlib import Path

import pytest

from grading import classroom
from grading.__main__ import main
from grading.tests.test_grading import code, content, notebook, said
from tests import needs

SEED = "7"
SHARDS = 3
ODD = "def entropy(weights):\n    return weights.sum(-1) * 7 - 3"  # that no catalogue explains


@pytest.fixture(scope="module")
def messy_class(tmp_path_factory) -> Path:
    """As Canvas gives it: several notebooks, late files, copies, an attack, files that are none."""
    folder = tmp_path_factory.mktemp("class")
    made = classroom.write(tmp_path_factory.mktemp("made"), 8, seed=3)
    files = [(path.read_bytes(), "") for path in made]
    files += [(notebook(code("01", entropy=ODD), dark_column="So."), "")] * 4
    files += [(notebook(code("04")), ""), (notebook(code("01")), "LATE_")]
    files += [(notebook(["import os; os._exit(0)", *code("01")]), "")]
    files += [(b'{"cells": [', ""), (b"", "")]
    for number, (data, late) in enumerate(files):
        name = f"learner{number // 2:02}_{late}{100 + number // 2}_{900 + number}_x.ipynb"
        (folder / name).write_bytes(data)
    (folder / "notes.txt").write_text("Where do I hand in?")
    return folder


@pytest.fixture(scope="module")
def shards(messy_class, tmp_path_factory) -> list[Path]:
    folders = [tmp_path_factory.mktemp("shards") / str(number) for number in range(1, SHARDS + 1)]
    for number, out in enumerate(folders, start=1):
        options = ["--seed", SEED, "--late", "20%", "--column", "Week 1 (815)"]
        assert main([str(messy_class), "--out", str(out), *options, "--shard", f"{number}/3"]) == 0
    return folders


@needs.sandbox
def test_shards_put_together_are_the_bytes_of_one_run(messy_class, shards, tmp_path):
    whole, merged = tmp_path / "whole", tmp_path / "merged"
    options = ["--seed", SEED, "--late", "20%", "--column", "Week 1 (815)"]
    assert main([str(messy_class), "--out", str(whole), *options]) == 0
    assert main(["merge", *map(str, reversed(shards)), "--out", str(merged)]) == 0
    assert content(merged) == content(whole)
    for part in ("grades.csv", "feedback.zip", "names.toml", "private/1/records"):  # what to lose
        assert (merged / part).exists()
        assert not (shards[0] / "grades.csv").exists()
    assert main([str(messy_class), "--out", str(merged), "--resume"]) == 0  # it is one class now
    assert content(merged) == content(whole)


def changed(folder: Path, **facts: object) -> None:
    path = folder / "private" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | facts))


def one_result(shard: Path) -> Path:
    return min(shard.glob("private/1/results/*.json"))


WRONG = {
    "another seed": (lambda a, b, c: changed(b, seed=8), "2 was graded with another seed than"),
    "another version": (
        lambda a, b, c: changed(b, course="f00"),
        "2 was graded by another version of the course, Python, torch or NumPy than",
    ),
    "another class": (
        lambda a, b, c: changed(c, **{"class": "f00"}),
        "3 was graded from other files (if some came or went, go on in each with --resume) than",
    ),
    "of four": (lambda a, b, c: changed(c, shards=4), "3 is of another number of shards than"),
    "missing": (lambda a, b, c: shutil.rmtree(c), "3 is not a folder. Name the folders that"),
    "no shard": (lambda a, b, c: shutil.rmtree(c / "private"), "3 holds no shard."),
    "twice": (lambda a, b, c: changed(b, shard=1), "2 are the same shard, 1."),
    "not done": (
        lambda a, b, c: one_result(b).unlink(),
        "2 is not done: 1 of its 6 files are not graded. Go on there with --resume.",
    ),
    "a file in two": (
        lambda a, b, c: shutil.move(shutil.copy(one_result(a), b), one_result(b)),
        "_x.ipynb is in two shards, ",
    ),
}


@needs.sandbox
@pytest.mark.parametrize("wrong", WRONG)
def test_shards_that_do_not_fit_are_one_line(shards, tmp_path, capsys, wrong):
    copies = [shutil.copytree(shard, tmp_path / shard.name) for shard in shards]
    change, line = WRONG[wrong]
    change(*copies)
    status, told = said(capsys, "merge", *copies, "--out", tmp_path / "out")
    assert (status, told.count("\n")) == (2, 1)
    assert line in told
    assert not (tmp_path / "out").exists()


@needs.sandbox
def test_what_is_missing_is_named_and_a_shard_is_no_class(messy_class, shards, tmp_path, capsys):
    out = tmp_path / "out"
    status, told = said(capsys, "merge", shards[1], "--out", out)
    assert (status, told) == (2, "Missing: shard 1/3, 3/3. Grade it, and merge all 3.\n")
    status, told = said(capsys, "merge", *shards, "--out", shards[0])
    assert (status, told.count("\n")) == (2, 1)
    assert "holds grades already" in told
    status, told = said(capsys, "regrade", "--out", shards[0])
    assert (status, told.count("\n")) == (2, 1)
    assert "holds one shard of a class" in told
    for more in (["--shard", "2/3"], ["--shard", "1/4"]):
        status, told = said(capsys, messy_class, "--out", shards[0], "--resume", *more)
        assert status == 2
        assert "begun with another --shard" in told.splitlines()[-1]
    status, told = said(capsys, messy_class, "--out", out, "--shard", "1/3")
    line = "All shards of a class need the same seed. Name it with --seed."
    assert (status, told.splitlines()[-1]) == (2, line)


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0", "/"])
def test_a_shard_that_cannot_be_is_named(capsys, shard):
    with pytest.raises(SystemExit):
        main(["x", "--out", "y", "--shard", shard])
    assert "is not a whole number from 1" in capsys.readouterr().err
