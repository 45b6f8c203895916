"""Test the pieces of the experiments of notebooks 09 and 10."""

import pytest
import torch
from torch import nn

from utils.attention import MultiHeadAttention
from utils.experiments import copying, lengths
from utils.experiments.caching import read_on, seconds_of_writing
from utils.experiments.copying import START, WORDS, Copier, repeated_words
from utils.experiments.lengths import LanguageModel, NormedAttention, english, perplexity, train
from utils.experiments.recall import (
    MIXES,
    add_pair,
    correct_pair,
    learn_to_recall,
    questions,
    recalled,
    recaller,
)
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


def test_a_needle_is_found_by_whoever_looks_it_up_and_by_a_place_at_its_distance_alone():
    def look_up(texts):
        asked = texts[:, -1:]
        first = (texts == asked).double().argmax(1)  # where it stood before
        return nn.functional.one_hot(texts[range(len(texts)), first + 1], WORDS).unsqueeze(1)

    def look_four_back(texts):
        return nn.functional.one_hot(texts[:, -4], WORDS).unsqueeze(1)

    set_seed(0)
    assert copying.found_by_distance(look_up, [2, 4, 47]) == {2: 100, 4: 100, 47: 100}
    found = copying.found_by_distance(look_four_back, [2, 4, 47])
    assert found[4] == 100
    assert max(found[2], found[47]) < 5


def test_a_cache_saves_time_on_a_long_text():
    seconds = seconds_of_writing(some_blocks(), [8, 512], dim=16)
    assert seconds.keys() == {8, 512}
    (kept, again), (kept_long, again_long) = seconds[8], seconds[512]
    assert kept_long > kept
    assert again_long / kept_long > again / kept


def test_a_state_recalls_keys_at_right_angles_and_overwrites_only_by_the_delta_rule():
    keys, values = torch.eye(4), torch.randn(4, 4)
    for step, twice in ((add_pair, 2 * values), (correct_pair, values)):
        state = torch.zeros(4, 4)
        for key, value in zip(keys.repeat(2, 1), values.repeat(2, 1), strict=True):
            state = step(state, key, value)
        torch.testing.assert_close(keys @ state, twice)


def test_fewer_are_recalled_of_more_pairs_and_chance_of_nothing():
    set_seed(0)
    assert recalled(add_pair, 4) > 95 > recalled(add_pair, 128)
    assert recalled(lambda state, key, value: state, 64) < 10


@pytest.mark.parametrize(("name", "step"), [("sum", add_pair), ("delta", correct_pair)])
def test_all_words_at_once_say_what_the_states_say_word_by_word(name, step):
    set_seed(0)
    queries, keys, values = torch.randn(3, 6, 4, dtype=torch.float64)
    beta = torch.rand(6, 1, dtype=torch.float64) if name == "delta" else torch.ones(6, 1)
    state, expected = torch.zeros(4, 4, dtype=torch.float64), []
    for query, key, value, rate in zip(queries, keys, values, beta, strict=True):
        options = {"beta": rate} if name == "delta" else {}
        state = step(state, key / key.norm(), value, **options)
        expected.append(query / query.norm() @ state)
    actual = MIXES[name](*(each[None] for each in (queries, keys, values, beta)))
    torch.testing.assert_close(actual[0], torch.stack(expected))


@pytest.mark.parametrize("name", MIXES)
def test_a_recaller_sees_no_later_word(name):
    set_seed(0)
    model, (words, wanted) = recaller(MIXES[name]), questions(4, 3)
    assert words.shape == (3, 12)
    assert wanted.shape == (3, 4)
    changed = words.clone()
    changed[:, -1] = (words[:, -1] + 1) % 64
    torch.testing.assert_close(model(words)[:, :-1], model(changed)[:, :-1])


def test_questions_ask_for_the_value_behind_each_key():
    words, wanted = questions(5, 2)
    for text, numbers in zip(words.tolist(), wanted.tolist(), strict=True):
        values = dict(zip(text[:10:2], text[1:10:2], strict=True))
        assert [values[key] - 64 for key in text[10:]] == numbers


def test_a_softmax_learns_to_recall():
    set_seed(0)
    assert learn_to_recall(recaller(MIXES["softmax"]), pairs=2, steps=100) > 50


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


def test_heads_that_weigh_all_words_alike_give_the_first_its_share():
    set_seed(0)
    model, text = LanguageModel(9, Positions()), torch.randint(9, (300,))
    for block in model.blocks:
        torch.nn.init.zeros_(block.attention.W_q.weight)
        torch.nn.init.zeros_(block.attention.W_q.bias)
    uniform = torch.tensor([1 / seen for seen in range(33, 49)]).mean()
    shares = lengths.shares_of_the_first(model, text, sign=3)
    torch.testing.assert_close(shares, uniform.expand(2, 4))
    copier = Copier(lambda: MultiHeadAttention(64, 1))
    for block in copier.blocks:
        torch.nn.init.zeros_(block.W_q.weight)
        torch.nn.init.zeros_(block.W_q.bias)
    uniform = torch.tensor([1 / seen for seen in range(2, 25)]).mean()
    torch.testing.assert_close(copying.shares_of_the_first(copier), uniform.expand(2))


def test_texts_without_a_sign_begin_with_a_word():
    assert (repeated_words(3, 20)[:, 0] == START).all()
    assert (repeated_words(3, 20, sign=False) < WORDS).all()
