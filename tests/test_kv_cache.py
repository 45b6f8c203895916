"""Test that reading a text in pieces, with a cache, is reading it at once under the right mask."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.attention import MultiHeadAttention
from utils.kv_cache import KVCache
from utils.positions import RotaryPositions

DIM = 16


def make_attention(kv_heads=2):
    torch.manual_seed(0)
    return MultiHeadAttention(DIM, 4, kv_heads=kv_heads, positions=RotaryPositions(4)).double()


def read(attention, words, cuts, cache):
    """Return the contexts of words (batch, len, dim) that are read in pieces of these lengths."""
    contexts = []
    for piece in words.split(cuts, dim=1):
        position = cache.position
        memory = cache.extend(attention.remember(piece, position=position))
        contexts.append(attention.attend(piece, memory, position)[0])
    return torch.cat(contexts, dim=1)


def visible(length, window, sinks):
    """Return who sees whom (length, length), written out pair by pair."""
    return torch.tensor(
        [
            [
                key <= query and (window is None or key > query - window or key < sinks)
                for key in range(length)
            ]
            for query in range(length)
        ]
    )


@given(
    cuts=st.lists(st.integers(0, 7), min_size=1, max_size=8).filter(sum),
    window=st.one_of(st.none(), st.integers(1, 12)),
    sinks=st.integers(0, 5),
    batch=st.integers(1, 3),
    kv_heads=st.sampled_from([1, 2, 4]),
)
@settings(max_examples=150, deadline=None)
def test_however_a_text_is_cut_its_contexts_are_those_of_the_whole(
    cuts, window, sinks, batch, kv_heads
):
    attention, words = make_attention(kv_heads), torch.randn(batch, sum(cuts), DIM).double()
    expected, _ = attention(words, words, mask=visible(sum(cuts), window, sinks))
    actual = read(attention, words, cuts, KVCache(window, sinks))
    torch.testing.assert_close(actual, expected, atol=1e-10, rtol=0)


@pytest.mark.parametrize(("window", "sinks"), [(None, 0), (4, 0), (4, 2), (1, 0), (1, 1)])
def test_word_by_word_with_the_fused_kernel_too(window, sinks):
    attention, words = make_attention(), torch.randn(2, 20, DIM).double()
    expected, _ = attention(words, words, mask=visible(20, window, sinks))
    cache = KVCache(window, sinks)
    for step, word in enumerate(words.split(1, dim=1)):
        memory = cache.extend(attention.remember(word, position=step))
        assert memory.mask is None  # what is kept may all be seen
        context, _ = attention.attend(word, memory, step, return_weights=None)
        torch.testing.assert_close(context, expected[:, step : step + 1], atol=1e-10, rtol=0)


@given(
    cuts=st.lists(st.integers(0, 9), min_size=1, max_size=9).filter(sum), sinks=st.integers(0, 3)
)
@settings(max_examples=40, deadline=None)
def test_bytes_grow_with_the_text_or_stay_within_the_window(cuts, sinks):
    attention, words = make_attention(), torch.randn(1, sum(cuts), DIM).double()
    of_a_token = 2 * 2 * 4 * 8  # keys and values, kv_heads, head_dim, bytes of a float64
    grown, within = KVCache(), KVCache(window=3, sinks=sinks)
    assert grown.nbytes() == within.nbytes() == 0
    read(attention, words, cuts, grown)
    read(attention, words, cuts, within)
    assert grown.position == within.position == sum(cuts)
    assert grown.nbytes() == sum(cuts) * of_a_token
    # The last piece is kept whole, since its own tokens need it.
    assert within.nbytes() <= (sinks + 2 + cuts[-1]) * of_a_token


def test_a_window_keeps_no_more_however_long_the_text_gets():
    attention, cache = make_attention(), KVCache(window=5, sinks=2)
    sizes = []
    for word in torch.randn(1, 300, DIM).double().split(1, dim=1):
        cache.extend(attention.remember(word, position=cache.position))
        sizes.append(cache.nbytes())
    assert sizes == sorted(sizes)
    assert {*sizes[7:]} == {7 * 2 * 2 * 4 * 8}


def test_room_is_made_seldom():
    attention, cache = make_attention(), KVCache()
    rooms = set()
    for word in torch.randn(1, 200, DIM).double().split(1, dim=1):
        memory = cache.extend(attention.remember(word, position=cache.position))
        rooms.add(memory.keys.untyped_storage().data_ptr())
    assert len(rooms) < 12  # each twice as large as what was kept, so not every token is copied


def test_an_empty_piece_changes_nothing():
    attention, words = make_attention(), torch.randn(2, 6, DIM).double()
    for cache in (KVCache(), KVCache(3, 1)):
        nothing = attention.remember(words[:, :0], position=0)
        assert cache.extend(nothing).keys.shape == (2, 2, 0, 4)
        assert (cache.position, cache.nbytes()) == (0, 0)
    expected, _ = attention(words, words, mask=visible(6, None, 0))
    actual = read(attention, words, [0, 2, 0, 0, 4, 0], KVCache())
    torch.testing.assert_close(actual, expected, atol=1e-10, rtol=0)


def test_growing_leaves_what_was_handed_out_before_as_it_was():
    attention, cache = make_attention(), KVCache()
    words = torch.randn(1, 3, DIM).double()
    memory = cache.extend(attention.remember(words))
    before = memory.keys.clone()
    for position in range(3, 30, 3):
        cache.extend(attention.remember(words, position=position))
    assert torch.equal(memory.keys, before)


def test_dtypes_stay():
    attention = make_attention().bfloat16()
    words = torch.randn(1, 6, DIM).bfloat16()
    cache = KVCache(4, 1)
    assert read(attention, words, [2, 1, 3], cache).dtype == torch.bfloat16
    assert cache.extend(attention.remember(words, position=6)).keys.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("settings", "message"),
    [((0,), "got 0 and 0"), ((-3,), "got -3 and 0"), ((4, -1), "sinks 0 or more, got 4 and -1")],
)
def test_windows_and_sinks_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        KVCache(*settings)
