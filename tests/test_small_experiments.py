"""Test the pieces of the experiments of notebooks 09 and 10."""

import pytest
import torch
from torch import nn

from utils.attention import MultiHeadAttention
from utils.experiments.caching import read_on, speed_ups
from utils.experiments.copying import WORDS, Copier, repeated_words
from utils.experiments.lengths import LanguageModel, NormedAttention, english, perplexity, train
from utils.experiments.recall import add_pair, correct_pair, recalled
from utils.masks import causal_mask
from utils.model_helpers import set_seed
from utils.positions import Positions, RotaryPositions
from utils.transformer import EncoderBlock


def some_blocks():
    return nn.ModuleList(EncoderBlock(16, 2, 32) for _ in range(2)).eval()


@pytest.mark.parametrize("return_weights", ["mean", None])
@pytest.mark.parametrize("pieces", [[7], [3, 4], [1] * 7])
def test_any_cut_of_a_text_gives_the_same_states(pieces, return_weights):
    set_seed(0)
    blocks, x, past = some_blocks(), torch.randn(2, 7, 16), [None, None]
    actual = [read_on(blocks, piece, past, return_weights) for piece in x.split(pieces, dim=1)]
    expected = x
    with torch.no_grad():
        for block in blocks:
            expected = block(expected, causal_mask(7))
    torch.testing.assert_close(torch.cat(actual, dim=1), expected)
    assert past[0].keys.shape == (2, 2, 7, 8)


def test_a_cache_saves_time_on_a_long_text():
    ratios = speed_ups(some_blocks(), [8, 512], dim=16)
    assert ratios.keys() == {8, 512}
    assert ratios[512] > ratios[8]


def test_a_state_recalls_keys_at_right_angles_and_overwrites_only_by_the_delta_rule():
    keys, values = torch.eye(4), torch.randn(4, 4)
    for step, twice in ((add_pair, 2 * values), (correct_pair, values)):
        state = torch.zeros(4, 4)
        for key, value in zip(keys.repeat(2, 1), values.repeat(2, 1), strict=True):
            state = step(state, key, value)
        torch.testing.assert_close(keys @ state, twice)


def test_fewer_are_recalled_of_more_pairs_and_chance_of_nothing():
    set_seed(0)
    assert recalled(add_pair, 4) > 95 > recalled(add_pair, 128, trials=5)
    assert recalled(lambda state, key, value: state, 64, trials=5) < 10


def test_normalised_queries_and_keys_bound_the_scores():
    set_seed(0)
    options = {"dim": 16, "heads": 2, "positions": RotaryPositions(8)}
    plain, normed = MultiHeadAttention(**options), NormedAttention(**options)
    x = torch.randn(1, 5, 16)
    for attention in (plain, normed):
        with torch.no_grad():
            attention.W_q.weight *= 100
    assert plain.score(x, x).abs().max() > 10
    # Queries and keys of length √8, whose dot product is divided by √8.
    assert normed.score(x, x).abs().max() <= 8**0.5 + 1e-4


def test_normed_attention_with_positions_sees_the_distance_alone():
    set_seed(0)
    attention = NormedAttention(16, 2, RotaryPositions(8))
    query, key = torch.randn(2, 1, 1, 16)
    scores = [
        attention.compare(
            attention.project_queries(query, place), attention.project_keys(key, place - 3)
        )
        for place in (3, 40)
    ]
    torch.testing.assert_close(*scores)


def test_the_small_language_model_learns_and_sees_no_later_word():
    set_seed(0)
    texts = english()
    model = LanguageModel(texts.vocabulary, Positions(), normed=True)
    before = perplexity(model, texts.unseen, 48)
    train(model, texts.training, steps=20)
    assert perplexity(model, texts.unseen, 48) < before / 2
    words = texts.unseen[:9][None]
    changed = words.clone()
    changed[0, -1] = (words[0, -1] + 1) % texts.vocabulary
    torch.testing.assert_close(model(words)[:, :-1], model(changed)[:, :-1])


def test_a_copier_shuts_the_start_sign_and_what_is_not_chosen():
    set_seed(0)
    words = repeated_words(3, count=2)[:, :-1]
    shut = Copier(lambda: MultiHeadAttention(64, 1), see_start=False)
    assert shut(words).shape == (2, 6, WORDS)
    for weights in shut.maps:
        assert not weights[:, 1:, 0].any()
        torch.testing.assert_close(weights[:, 0, 0], torch.ones(2))
    last_alone = torch.eye(6, dtype=torch.bool)
    copier = Copier(lambda: MultiHeadAttention(64, 1))
    copier(words, chosen=last_alone)
    torch.testing.assert_close(copier.maps[1], torch.eye(6).expand(2, 6, 6))
    assert copier.maps[0][:, 1:, 0].all()
