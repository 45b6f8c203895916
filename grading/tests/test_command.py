"""What the command line had once is answered with one line that says what to do now."""

import subprocess

import pytest

from grading.__main__ import main
from tests import needs
from utils.checks import bank


@pytest.mark.parametrize(
    ("arguments", "instead"),
    [
        (["merge", "shards/1", "shards/2", "--out", "grades"], "Dask cluster: --scheduler"),
        (["handed-in", "--out", "grades", "--shard", "1/3"], "Dask cluster: --scheduler"),
        (["grade", "handed-in", "--out", "grades", "--shard=1/3"], "Dask cluster: --scheduler"),
        (["handed-in", "--out", "grades", "--column", "Week 1 (815)"], "class file"),
        (["catalogue", "entropy.1", "--out", "grades"], "names.toml"),
    ],
)
def test_what_is_gone_names_what_takes_its_place(capsys, arguments, instead):
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert instead in message
    assert message.count("\n") == 1


@needs.make
@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["CLASS=week 1.toml"], '-m grading "week 1.toml"'),
        (["CLASS=a.toml", "OPTIONS=--again Ada"], '-m grading "a.toml" --again Ada'),
        (["SUBMISSIONS=in"], '-m grading "in" --out "grades"'),
        (["SUBMISSIONS=in", "GRADES=out"], '-m grading "in" --out "out"'),
    ],
)
def test_make_hands_on_a_class_file_or_a_folder(words, command):
    done = subprocess.run(
        ["make", "-n", "--no-print-directory", "grade", *words],
        cwd=bank.FOLDER.parent,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1].rstrip().endswith(command)
