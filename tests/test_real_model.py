"""Test the course's real model against numbers that `transformers` gave once, and gives again.

`make bench ONLY=real:records` printed what is stored in `real_model.json`: by `transformers`,
with its own tokeniser, from the copy of the model that it opens by itself.
"""

import json
from pathlib import Path

import pytest
import torch

from tests import needs
from tests.bench.real import open_theirs, recorded, write_halves
from utils.model_card import WIDTH, read_card
from utils.pretrained import next_tokens, open_model, write, write_on
from utils.pretrained.store import folder

RECORDS = json.loads(Path(__file__).with_name("real_model.json").read_text(encoding="utf-8"))
pytestmark = [needs.real_model, needs.gguf, pytest.mark.slow]


@pytest.fixture(scope="module")
def real():
    return open_model()


@pytest.mark.parametrize("text", RECORDS, ids=range(len(RECORDS)))
def test_ids_and_logits_are_the_stored_ones(text, real):
    model, tokens = real
    expected = RECORDS[text]
    assert tokens.encode(text).tolist() == [expected["ids"]]
    assert tokens.decode(expected["ids"]) == text
    with torch.inference_mode():
        actual = recorded(model(tokens.encode(text))[0, -1])
    assert list(actual["likeliest"]) == list(expected["likeliest"])
    for name, value in expected["likeliest"].items():
        assert actual["likeliest"][name] == pytest.approx(value, abs=1e-3)
    assert actual["mean"] == pytest.approx(expected["mean"], abs=1e-3)


def test_the_first_answer(real):
    assert write(*real, "The capital of France is", 2) == "The capital of France is Paris."
    first, chance = next(iter(next_tokens(*real, "The capital of France is").items()))
    assert first == " Paris"
    assert chance == pytest.approx(0.7725, abs=1e-3)


def test_bfloat16_says_the_same_and_differs_in_the_third_digit(real):
    half = open_model(dtype=torch.bfloat16)
    assert write(*half, "The capital of France is", 2) == "The capital of France is Paris."
    ids = real[1].encode(next(iter(RECORDS)))
    with torch.inference_mode():
        exact, rounded = (model(ids).float() for model in (real[0], half[0]))
    assert 1e-4 < (rounded - exact).abs().mean() < 0.2


def test_writing_with_a_cache_is_reading_all_again_for_each_token(real):
    model, tokens = real
    beginning = "Once upon a time there was a"
    ids = tokens.encode(beginning)
    for token, chances in write_on(model, tokens, beginning, 20):
        with torch.inference_mode():
            logits = model(ids)[0, -1]
        torch.testing.assert_close(chances, logits.softmax(-1), atol=1e-4, rtol=0)
        assert token == int(logits.argmax())
        ids = torch.cat([ids, torch.tensor([[token]])], dim=1)
    assert ids.shape[1] == len(tokens.encode(beginning)[0]) + 20


def test_a_token_leaves_as_many_bytes_as_its_card_says(real):
    model, tokens = real
    ids, caches = tokens.encode("One two three four five six seven."), model.caches()
    with torch.inference_mode():
        model.last_logits(ids, caches)
    measured = sum(cache.nbytes() for cache in caches) / ids.shape[1]
    card = read_card(folder() / "config.json")
    assert measured == card.per_token * 4 / WIDTH == 46_080


@needs.transformers
def test_transformers_gives_the_stored_numbers_still(real, tmp_path):
    write_halves(folder(), tmp_path / "halves")
    theirs = open_theirs(tmp_path / "halves", torch.float32)
    ours = open_model(tmp_path / "halves")[0]  # in the layout of theirs
    for expected in RECORDS.values():
        ids = torch.tensor([expected["ids"]])
        with torch.inference_mode():
            logits = theirs(ids).logits
            assert (real[0](ids) - logits).abs().max() < 1e-3
            assert (ours(ids) - logits).abs().max() < 1e-3
        assert recorded(logits[0, -1])["mean"] == pytest.approx(expected["mean"], abs=1e-3)
