import math

import pytest
import torch

from utils.attention import MultiHeadAttention
from utils.masks import causal_mask
from utils.positions import (
    AlibiPositions,
    LearnedPositions,
    RotaryPositions,
    SinusoidalPositions,
    rotary_frequencies,
    sinusoidal_positions,
    stretched_frequencies,
)
from utils.torch_twins import to_torch


def test_columns_are_the_waves_of_the_paper():
    table = sinusoidal_positions(length=50, dim=6)
    for position, i in [(0, 0), (7, 0), (49, 1), (13, 2)]:
        angle = position / 10_000 ** (2 * i / 6)
        assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-5)
        assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-5)


def test_the_dot_product_of_two_positions_depends_on_their_distance_alone():
    table = sinusoidal_positions(40, 32)
    products = table @ table.T
    for distance in (0, 1, 5, 20):
        diagonal = products.diagonal(distance)
        assert torch.allclose(diagonal, diagonal[0].expand_as(diagonal), atol=1e-4)


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="dim must be even, got 5"):
        sinusoidal_positions(3, 5)


@pytest.mark.parametrize("layer", [SinusoidalPositions, LearnedPositions])
def test_each_position_gets_its_own_vector(layer):
    positions = layer(dim=8, max_len=10)
    added = positions(torch.zeros(2, 6, 8))
    assert added.shape == (2, 6, 8)
    assert torch.equal(added[0], added[1])
    assert len(torch.unique(added[0], dim=0)) == 6
    embeddings = torch.randn(2, 6, 8)
    assert torch.allclose(positions(embeddings) - embeddings, added, atol=1e-6)


@pytest.mark.parametrize("layer", [SinusoidalPositions, LearnedPositions])
@pytest.mark.parametrize("shape", [(2, 11, 8), (2, 6, 9)])
def test_embeddings_that_do_not_fit_are_refused(layer, shape):
    with pytest.raises(ValueError, match=r"must be \(batch, up to 10, 8\), got"):
        layer(dim=8, max_len=10)(torch.zeros(shape))


def test_only_the_learned_ones_are_parameters():
    assert not list(SinusoidalPositions(8).parameters())
    assert not SinusoidalPositions(8).state_dict()
    learned = LearnedPositions(8, max_len=10)
    learned(torch.zeros(1, 4, 8)).sum().backward()
    assert learned.table.grad[:4].abs().sum() > 0
    assert learned.table.grad[4:].abs().sum() == 0


@pytest.mark.parametrize("layer", [SinusoidalPositions, LearnedPositions])
def test_words_that_follow_others_get_the_later_rows(layer):
    positions, words = layer(dim=8, max_len=10), torch.randn(2, 6, 8)
    assert torch.equal(positions(words[:, 4:], 4), positions(words)[:, 4:])
    with pytest.raises(ValueError, match=r"got \(2, 6, 8\) from position 5 on"):
        positions(words, 5)


both_layouts = pytest.mark.parametrize("layout", ["halves", "pairs"])
double = {"dtype": torch.float64}


@both_layouts
def test_to_turn_is_to_multiply_complex_numbers(layout):
    torch.manual_seed(0)
    vectors, places = torch.randn(2, 3, 5, 8, **double), torch.tensor([0, 1, 7, 40, 9_000])
    a, b = (
        vectors.chunk(2, dim=-1)
        if layout == "halves"
        else vectors.unflatten(-1, (-1, 2)).unbind(-1)
    )
    angles = places[:, None] * 10_000.0 ** (-torch.arange(0, 8, 2, **double) / 8)
    expected = torch.complex(a, b) * torch.polar(torch.ones_like(angles), angles)
    parts = expected.real, expected.imag
    expected = torch.cat(parts, -1) if layout == "halves" else torch.stack(parts, -1).flatten(-2)
    actual = RotaryPositions(8, layout).turn(vectors, places)
    torch.testing.assert_close(actual, expected, atol=1e-10, rtol=0)


def test_the_layouts_are_one_after_a_permutation():
    vectors, places = torch.randn(1, 2, 6, 8, **double), torch.arange(6)
    halves, pairs = (RotaryPositions(8, layout).turn for layout in ("halves", "pairs"))
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    expected = pairs(vectors, places)[..., order]
    torch.testing.assert_close(halves(vectors[..., order], places), expected, atol=1e-12, rtol=0)
    query, key = torch.randn(2, 1, 1, 1, 8, **double)
    product = (halves(query, places[3:4]) * pairs(key, places[3:4])).sum()
    assert (product - (query * key).sum()).abs() > 1e-2  # the two do not mix


@both_layouts
@pytest.mark.parametrize("start", [1, 1_000, 9_000])
def test_a_rotary_score_depends_on_the_distance_alone(layout, start):
    torch.manual_seed(0)
    attention = MultiHeadAttention(16, 2, positions=RotaryPositions(8, layout)).double()
    query, key = torch.randn(2, 1, 1, 16, **double)
    scores = [
        attention.compare(
            attention.project_queries(query, place + 3), attention.project_keys(key, place)
        )
        for place in (0, start)
    ]
    torch.testing.assert_close(scores[1], scores[0], atol=1e-10, rtol=0)
    assert (scores[0] - attention.score(query, key)).abs().max() > 1e-3


def test_gradients_flow_through_a_turn():
    vectors = torch.randn(1, 1, 3, 4, **double, requires_grad=True)
    for layout in ("halves", "pairs"):
        turn = RotaryPositions(4, layout).turn
        assert torch.autograd.gradcheck(lambda x, t=turn: t(x, torch.tensor([0, 2, 9])), vectors)


@pytest.mark.parametrize("kind", [RotaryPositions(8), AlibiPositions()])
def test_a_step_in_any_split_continues_where_the_text_is(kind):
    torch.manual_seed(0)
    attention = MultiHeadAttention(16, 2, kv_heads=1, positions=kind).double()
    words = torch.randn(2, 7, 16, **double)
    whole, _ = attention(words, words, mask=causal_mask(7))
    fused, _ = attention(words, words, mask=causal_mask(7), return_weights=None)
    torch.testing.assert_close(fused, whole, atol=1e-10, rtol=0)
    for split in range(1, 7):
        past, new = attention.remember(words[:, :split]), words[:, split:]
        later = attention.remember(new, position=split)
        memory = past._replace(
            keys=torch.cat([past.keys, later.keys], dim=2),
            values=torch.cat([past.values, later.values], dim=2),
            mask=causal_mask(7)[split:],
        )
        context, _ = attention.attend(new, memory, split)
        torch.testing.assert_close(context, whole[:, split:], atol=1e-10, rtol=0)


def test_frequencies_are_those_of_the_papers():
    assert rotary_frequencies(128)[[0, 1, 63]].tolist() == pytest.approx(
        [1, 10_000 ** (-1 / 64), 10_000 ** (-63 / 64)]
    )
    plain, linear, ntk = (
        rotary_frequencies(128, factor=factor, scaling=scaling)
        for factor, scaling in ((1.0, "linear"), (4.0, "linear"), (4.0, "ntk"))
    )
    assert torch.allclose(linear, plain / 4)
    assert (ntk / plain)[[0, -1]].tolist() == pytest.approx([1, 0.25])
    assert torch.allclose(ntk, rotary_frequencies(128, base=40_889.9), rtol=1e-5)
    with pytest.raises(ValueError, match="head_dim must be even, got 7"):
        rotary_frequencies(7)
    with pytest.raises(ValueError, match='"ntk" needs two pairs, head_dim = 4, got 2'):
        rotary_frequencies(2, factor=4.0, scaling="ntk")
    with pytest.raises(ValueError, match='"linear" or "ntk", got \'yarn\''):
        rotary_frequencies(8, factor=4.0, scaling="yarn")
    with pytest.raises(ValueError, match='"halves" or "pairs", got \'interleaved\''):
        RotaryPositions(8, "interleaved")


@both_layouts
def test_fewer_frequencies_turn_the_first_entries_alone(layout):
    vectors, places = torch.randn(2, 3, 5, 10, **double), torch.tensor([0, 1, 2, 3, 700])
    frequencies = rotary_frequencies(4, base=500.0)
    partly = RotaryPositions(10, layout, frequencies=frequencies)
    turned = partly.turn(vectors, places)
    assert torch.equal(turned[..., 4:], vectors[..., 4:])
    expected = RotaryPositions(4, layout, base=500.0).turn(vectors[..., :4], places)
    assert torch.equal(turned[..., :4], expected)
    unturned = RotaryPositions(10, layout, frequencies=frequencies[:0])
    assert torch.equal(unturned.turn(vectors, places), vectors)
    with pytest.raises(ValueError, match="3 pairs do not fit into head_dim = 5"):
        RotaryPositions(5, layout, frequencies=rotary_frequencies(6))


def test_frequencies_stretched_as_in_llama_3_follow_its_code():
    factor, low, high, trained = 8.0, 1.0, 4.0, 8_192  # as on the card of Llama 3.1
    plain = rotary_frequencies(128, base=500_000.0)
    expected, kinds = [], set()
    for frequency in plain.tolist():  # as `apply_scaling` there has it, by wavelengths
        wavelength = 2 * math.pi / frequency
        if wavelength < trained / high:
            kinds.add("kept")
            expected.append(frequency)
        elif wavelength > trained / low:
            kinds.add("stretched")
            expected.append(frequency / factor)
        else:
            kinds.add("mixed")
            smooth = (trained / wavelength - low) / (high - low)
            expected.append((1 - smooth) * frequency / factor + smooth * frequency)
    assert kinds == {"kept", "mixed", "stretched"}
    stretched = stretched_frequencies(plain, factor, low, high, trained)
    assert stretched.tolist() == pytest.approx(expected, rel=1e-12)
    for other in (low, low + 1):
        with pytest.raises(ValueError, match=f"high must be more than low, got {low} and {other}"):
            stretched_frequencies(plain, factor, other, low, trained)


def test_alibi_takes_a_slope_for_each_word_between():
    bias = AlibiPositions().bias(8, torch.tensor([5]), src_len=8)[:, 0]  # (heads, src_len)
    assert bias[:, 4].tolist() == [-(2.0**-power) for power in range(1, 9)]  # as in the paper
    for head in range(8):
        expected = [bias[head, 4].item() * abs(5 - place) for place in range(8)]
        assert bias[head].tolist() == pytest.approx(expected)
    attention, words = MultiHeadAttention(16, 8, positions=AlibiPositions()), torch.randn(1, 6, 16)
    plain = MultiHeadAttention(16, 8)
    plain.load_state_dict(attention.state_dict())
    added = attention.score(words, words) - plain.score(words, words)
    expected = AlibiPositions().bias(8, torch.arange(6), 6)
    torch.testing.assert_close(added[0], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("heads", "powers"),
    [(8, range(1, 9)), (12, [*range(1, 9), 0.5, 1.5, 2.5, 3.5]), (6, [2, 4, 6, 8, 1, 3]), (1, [8])],
)
def test_alibi_has_the_slopes_of_released_models(heads, powers):
    """They are those of `get_slopes` in the authors' code, worked out by hand."""
    bias = AlibiPositions("released").bias(heads, torch.tensor([1]), src_len=1)[:, 0, 0]
    assert bias.tolist() == pytest.approx([-(2.0**-power) for power in powers])
    with pytest.raises(ValueError, match='slopes must be "formula" or "released"'):
        AlibiPositions("paper")


@pytest.mark.parametrize(
    "positions", [lambda: SinusoidalPositions(8, 16), lambda: RotaryPositions(8), AlibiPositions]
)
def test_positions_made_without_memory_are_right_once_the_model_has_some(positions):
    """A large model is made on the device "meta", tried out there, and then gets its memory."""
    with torch.device("meta"):
        kind = positions()
        words = torch.empty(1, 2, 5, 8)
        assert kind(words[0]).shape == (2, 5, 8)
        assert kind.turn(words, torch.arange(5)).shape == words.shape
    kind.to_empty(device="cpu")
    words, places = torch.randn(1, 2, 5, 8), torch.arange(5)
    assert torch.equal(kind(words[0]), positions()(words[0]))
    assert torch.equal(kind.turn(words, places), positions().turn(words, places))


def test_positions_cannot_go_to_pytorch_s_module():
    with pytest.raises(ValueError, match="positions have no counterpart"):
        to_torch(MultiHeadAttention(8, 2, positions=AlibiPositions()))
