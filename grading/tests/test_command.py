"""What the command line had once is answered with one line that says what to do now."""

import pytest

from grading.__main__ import main


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
