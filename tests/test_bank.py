"""Records on disk: written where they differ, left alone where they hold the same."""

import numpy as np
import pytest

from tests.test_checks import SCALE, SHARE
from utils.checks import bank

CHANGES = {  # to one number of a stored record → whether a build has to write the file anew
    "a last digit": (lambda values: values + 2e-6, False),
    "another value": (lambda values: values + 2e-5, True),
    "another shape": (lambda values: values[None], True),
    "another precision": (lambda values: values.astype(np.float32), True),
}


@pytest.fixture
def path(tmp_path):
    bank.save([SHARE, SCALE], tmp_path / "01_toys")
    return tmp_path / "01_toys.npz"


def changed(path, change):
    """The stored arrays, one of expected numbers changed, as another build would have them."""
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["share/0/expected/shares"] = change(arrays["share/0/expected/shares"])
    np.savez(path, **arrays)
    return path.read_bytes()


@pytest.mark.parametrize(("change", "anew"), CHANGES.values(), ids=CHANGES)
def test_a_build_writes_what_differs_by_more_than_a_rounding(path, change, anew):
    right = path.read_bytes()
    found = changed(path, change)
    bank.save([SHARE, SCALE], path.with_suffix(""))
    assert path.read_bytes() == (right if anew else found)


def test_what_is_damaged_or_superfluous_is_written_anew(path):
    right = path.read_bytes()
    with np.load(path) as stored:
        more = {**stored, "left over": np.zeros(1)}
    for damage in (lambda: path.write_bytes(right[:-9]), lambda: np.savez(path, **more)):
        damage()
        assert path.read_bytes() != right
        bank.save([SHARE, SCALE], path.with_suffix(""))
        assert path.read_bytes() == right


def test_every_nan_has_the_same_bits():
    signs = np.array([np.nan, -np.nan, 1.0])
    assert bank._one_nan(signs).tobytes() == np.array([np.nan, np.nan, 1.0]).tobytes()
    assert bank._one_nan(np.arange(3)).dtype == np.arange(3).dtype
