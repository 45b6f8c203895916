"""Test the stored records of exercises: a file is written only if its content changes."""

import json
import re

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from tests.made_up_tasks import SCALE, SHARE, TRANSLATE
from utils.checks import bank, check, hint
from utils.checks.tasks import Answer, Case, Record

CHANGES = {  # to one number of a stored record → whether a build has to write the file anew
    "a last digit": (lambda values: values + 2e-6, False),
    "another value": (lambda values: values + 2e-5, True),
    "another shape": (lambda values: values[None], True),
    "another precision": (lambda values: values.astype(np.float32), True),
}


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(bank, "FOLDER", tmp_path)
    bank.save([SHARE, SCALE], tmp_path / "01_toys")
    return tmp_path / "01_toys.safetensors"


@pytest.mark.parametrize(("change", "anew"), CHANGES.values(), ids=CHANGES)
def test_a_build_writes_what_differs_by_more_than_a_rounding(path, change, anew):
    right, arrays = path.read_bytes(), load_file(path)
    save_file(arrays | {SHARES: np.ascontiguousarray(change(arrays[SHARES]))}, path)
    changed = path.read_bytes()
    bank.save([SHARE, SCALE], path.with_suffix(""))
    assert path.read_bytes() == (right if anew else changed)


SHARES = "share/0/expected/shares"


def test_what_is_damaged_or_superfluous_is_written_anew(path):
    right, more = path.read_bytes(), {**load_file(path), "left over": np.zeros(1)}
    for damage in (lambda: path.write_bytes(right[:-9]), lambda: save_file(more, path)):
        damage()
        assert path.read_bytes() != right
        bank.save([SHARE, SCALE], path.with_suffix(""))
        assert path.read_bytes() == right


def test_every_nan_has_the_same_bits():
    signs = np.array([np.nan, -np.nan, 1.0])
    assert bank._with_one_nan(signs).tobytes() == np.array([np.nan, np.nan, 1.0]).tobytes()
    assert bank._with_one_nan(np.arange(3)).dtype == np.arange(3).dtype


def test_a_record_comes_back_as_it_was(path):
    bank.save([TRANSLATE], path.with_name("02_more"))
    for expected in (SHARE, SCALE, TRANSLATE):
        actual = bank.load(expected.task.id)
        assert actual.task == expected.task
        assert str(actual.cases) == str(expected.cases)
        assert str(actual.expected) == str(expected.expected)
        assert str(actual.mistaken) == str(expected.mistaken)
    texts = json.loads(path.with_name("02_more.json").read_text())[0]["texts"]
    assert texts["translate/0/expected/translations"] == TRANSLATE.cases[0].inputs["sentences"]


def test_strides_survive(path):
    expected = torch.arange(6.0).reshape(2, 3).T
    case, answer = Case("turned", {"numbers": expected}), Answer({"shares": np.zeros(2)})
    bank.save([Record(SHARE.task, [case], [answer], {"columns": [answer]})], path.with_suffix(""))
    with pytest.raises(KeyError):
        bank.load("Scale")
    actual = bank.load("share").cases[0].inputs["numbers"]
    assert actual.stride() == expected.stride()
    assert torch.equal(actual, expected)


def test_of_one_task_nothing_of_the_others_is_read(path):
    arrays = load_file(path)
    save_file({name: arrays[name] for name in arrays if name.startswith("share/")}, path)
    assert bank.load("share").task == SHARE.task


def _anything(texts: object, place: int, new: object) -> object:
    """Return JSON data with another value at one of its places, counted from the top."""
    count = 0

    def changed(value: object) -> object:
        nonlocal count
        count += 1
        if count == place:
            return new
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        return [changed(item) for item in value] if isinstance(value, list) else value

    return changed(texts)


DAMAGES = {  # to the files of a record
    "no JSON": lambda texts, numbers: texts.write_text("{"),
    "empty": lambda texts, numbers: texts.write_bytes(b""),
    "no text": lambda texts, numbers: texts.write_bytes(b"\xff\xfe\xff"),
    "nested": lambda texts, numbers: texts.write_text("[" * 100_000),
    "a number": lambda texts, numbers: texts.write_text("1"),
    "no list": lambda texts, numbers: texts.write_text('{"id": "share"}'),
    "texts gone": lambda texts, numbers: texts.unlink(),
    "a folder": lambda texts, numbers: (texts.unlink(), texts.mkdir()),
    "numbers cut": lambda texts, numbers: numbers.write_bytes(numbers.read_bytes()[:-9]),
    "numbers empty": lambda texts, numbers: numbers.write_bytes(b""),
    "a pickle": lambda texts, numbers: numbers.write_bytes(b"cos\nsystem\n(S'false'\ntR."),
    "numbers gone": lambda texts, numbers: numbers.unlink(),
    "other numbers": lambda texts, numbers: save_file({"a": np.zeros(1)}, numbers),
    "no cases": lambda texts, numbers: texts.write_text(
        json.dumps([entry | {"cases": []} for entry in json.loads(texts.read_text())])
    ),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_told_as_that_and_never_as_a_wrong_name(path, damage):
    damage(path.with_suffix(".json"), path)
    with pytest.raises(bank.DamagedFile):
        bank.load("share")
    share = lambda numbers: numbers / numbers.sum()  # noqa: E731, F841 - the answer
    for note in (check("share"), hint("share")):
        text = str(note)
        assert "A file of the course is damaged" in text
        assert "No exercise is called" not in text
        assert re.search(r"git checkout \S+/01_toys\.(json|safetensors)", text)


def test_no_change_to_a_record_raises_anything_else(path):
    texts = path.with_suffix(".json")
    whole, told = json.loads(texts.read_text()), 0
    for place in range(1, 60):
        for new in (None, 7, "x", [], {}, [[7]], {"array": "x"}):
            texts.write_text(json.dumps(_anything(whole, place, new)))
            try:
                bank.load("share")
            except bank.DamagedFile:
                told += 1
            except KeyError:
                pass  # whoever changes a name has another task
    assert told > 100
