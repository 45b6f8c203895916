"""Test what all mechanisms have in common, and what distinguishes each of them."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tests.mechanisms import (
    DIM,
    MECHANISMS,
    SlidingWindowAttention,
    every,
    every_mechanism,
    every_unordered_mechanism,
)
from utils.attention import (
    AdditiveAttention,
    Attention,
    ConcatenatedAdditiveAttention,
    LocalAttention,
    MultiHeadAttention,
    MultiplicativeAttention,
    ScaledDotProductAttention,
    scaled_attention,
)
from utils.masks import causal_mask, padding_mask, window_mask
from utils.model_helpers import count_parameters
from utils.positions import AlibiPositions, RotaryPositions

sizes = {"batch": st.integers(1, 4), "tgt_len": st.integers(1, 6), "src_len": st.integers(1, 9)}
some_shapes = settings(max_examples=25, deadline=None)


def make(mechanism, batch=2, tgt_len=3, src_len=5):
    """Return a mechanism with random weights, a random query, and random keys."""
    torch.manual_seed(0)
    return mechanism.make(), *mechanism.inputs(batch, tgt_len, src_len)


# --- every mechanism ------------------------------------------------------------------------


@every_mechanism
@given(**sizes, data=st.data())
@some_shapes
def test_rows_sum_to_one_and_are_zero_under_the_mask(mechanism, batch, tgt_len, src_len, data):
    attention, query, keys = make(mechanism, batch, tgt_len, src_len)
    src_len = keys.shape[1]
    cells = st.lists(st.booleans(), min_size=src_len, max_size=src_len)
    rows = st.lists(cells, min_size=tgt_len, max_size=tgt_len)
    mask = torch.tensor(data.draw(st.lists(rows, min_size=batch, max_size=batch)))
    context, weights = attention(query, keys, mask=mask)
    assert context.shape == (batch, tgt_len, DIM)
    assert weights.shape == (batch, tgt_len, src_len)
    assert (weights[~mask] == 0).all()
    total = weights.sum(-1)
    if mechanism.local:  # a window may hold no allowed position
        assert (total <= 1 + 1e-5).all()
    else:
        assert torch.allclose(total, mask.any(-1).float(), atol=1e-5)
    assert context.isfinite().all()


@every_mechanism
@given(scale=st.sampled_from([1e-4, 1.0, 1e4]), **sizes)
@some_shapes
def test_extreme_scores_and_rows_masked_whole_give_no_nan(
    mechanism, scale, batch, tgt_len, src_len
):
    attention, query, keys = make(mechanism, batch, tgt_len, src_len)
    query.mul_(scale).requires_grad_()
    mask = torch.ones(batch, tgt_len, keys.shape[1], dtype=torch.bool)
    mask[0, 0] = False
    context, weights = attention(query, keys, mask=mask)
    context.sum().backward()
    assert (weights[0, 0] == 0).all()
    assert context.isfinite().all()
    assert query.grad.isfinite().all()
    assert torch.equal(context[0, 0], mechanism.empty(attention))


@every_mechanism
@given(**sizes)
@some_shapes
def test_nothing_leaks_between_the_sequences_of_a_batch(mechanism, batch, tgt_len, src_len):
    attention, query, keys = make(mechanism, batch, tgt_len, src_len)
    context, weights = attention(query, keys)
    keys[1:] = torch.randn_like(keys[1:])
    query[1:] = torch.randn_like(query[1:])
    changed, changed_weights = attention(query, keys)
    assert torch.allclose(context[0], changed[0], atol=1e-6)
    assert torch.allclose(weights[0], changed_weights[0], atol=1e-6)


@every_mechanism
def test_padding_changes_nothing(mechanism):
    attention, query, keys = make(mechanism, batch=1, tgt_len=4, src_len=5)
    context, weights = attention(query, keys)
    padded = torch.cat([keys, 100 * torch.randn(1, 3, DIM)], dim=1)
    context_padded, weights_padded = attention(query, padded, mask=padding_mask([5], 8))
    assert torch.allclose(context, context_padded, atol=1e-5)
    assert torch.allclose(weights, weights_padded[..., :5], atol=1e-5)


@every({name: mechanism for name, mechanism in MECHANISMS.items() if not mechanism.local})
def test_weights_are_the_softmax_of_the_scores(mechanism):
    attention, query, keys = make(mechanism)
    expected = attention.score(query, keys).softmax(-1)  # (batch, …, tgt_len, src_len)
    _, weights = attention(query, keys)
    assert torch.allclose(weights, expected.mean(1) if mechanism.heads else expected, atol=1e-6)


@every_unordered_mechanism
@given(**sizes)
@some_shapes
def test_permuting_the_source_permutes_the_weights(mechanism, batch, tgt_len, src_len):
    attention, query, keys = make(mechanism, batch, tgt_len, src_len)
    order = torch.randperm(src_len)
    context, weights = attention(query, keys)
    context_permuted, weights_permuted = attention(query, keys[:, order])
    assert torch.allclose(weights[..., order], weights_permuted, atol=1e-5)
    assert torch.allclose(context, context_permuted, atol=1e-5)


@every_mechanism
@given(constant=st.floats(-100, 100))
@some_shapes
def test_adding_a_constant_to_the_scores_changes_nothing(mechanism, constant):
    attention, query, keys = make(mechanism)
    _, weights = attention(query, keys)
    compare, attention.fused = attention.compare, False
    attention.compare = lambda *inputs: compare(*inputs) + constant
    _, weights_shifted = attention(query, keys)
    assert torch.allclose(weights, weights_shifted, atol=1e-4)


@every_mechanism
def test_step_by_step_over_a_remembered_source_equals_all_at_once(mechanism):
    attention, query, keys = make(mechanism)
    mask = padding_mask([5, 3])
    memory = attention.remember(keys, mask=mask)
    context, weights = attention(query, keys, mask=mask)
    for step in range(3):  # with a single state, whose axis its results do not have either
        for single in (
            attention.attend(query[:, step], memory, position=step),
            attention(query[:, step], keys, mask=mask, position=step),
        ):
            assert single[0].shape == (2, DIM)
            assert single[1].shape == (2, 5)
            assert torch.allclose(single[0], context[:, step], atol=1e-6)
            assert torch.allclose(single[1], weights[:, step], atol=1e-6)
    later_context, later_weights = attention.attend(query[:, 1:], memory, position=1)
    assert torch.allclose(later_context, context[:, 1:], atol=1e-6)
    assert torch.allclose(later_weights, weights[:, 1:], atol=1e-6)


@every_mechanism
def test_values_are_the_keys_unless_given(mechanism):
    attention, query, keys = make(mechanism)
    context, weights = attention(query, keys)
    same, same_weights = attention(query, keys, keys)
    assert torch.equal(context, same)
    assert torch.equal(weights, same_weights)
    _, other_weights = attention(query, keys, torch.randn_like(keys))
    assert torch.equal(weights, other_weights)


@every_mechanism
def test_gradients_reach_every_input_and_parameter(mechanism):
    attention, query, keys = make(mechanism)
    values = torch.randn_like(keys, requires_grad=True)
    query.requires_grad_()
    keys.requires_grad_()
    attention(query, keys, values)[0].square().sum().backward()
    for tensor in (query, keys, values, *attention.parameters()):
        assert tensor.grad is not None
        assert tensor.grad.abs().sum() > 0


@every_mechanism
def test_float64_stays_float64(mechanism):
    attention, query, keys = make(mechanism)
    context, weights = attention.double()(query.double(), keys.double(), mask=padding_mask([5, 3]))
    assert context.dtype == weights.dtype == torch.float64


@every_mechanism
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": torch.zeros(2, 3, 9)}, r"query must be \(batch=2, tgt_len, query_dim=8\)"),
        ({"query": torch.zeros(4, 3, 8)}, r"query must be \(batch=2, tgt_len, query_dim=8\)"),
        ({"query": torch.zeros(8)}, r"query must be .*got \(8,\)"),
        ({"keys": torch.zeros(2, 5, 7)}, r"keys must be \(batch, src_len, key_dim=8\)"),
        ({"keys": torch.zeros(5, 8)}, r"keys must be .*got \(5, 8\)"),
        ({"values": torch.zeros(2, 4, 8)}, r"values must be \(batch=2, src_len=5"),
        ({"values": torch.zeros(3, 5, 8)}, r"values must be \(batch=2, src_len=5"),
        ({"mask": torch.ones(2, 3, 4, dtype=torch.bool)}, "mask must broadcast to the weights"),
        ({"mask": torch.rand(2, 3, 5)}, "mask must be a boolean tensor"),
    ],
)
def test_a_wrong_input_names_the_argument_and_what_was_expected(mechanism, change, message):
    attention, query, keys = make(mechanism)
    with pytest.raises((ValueError, TypeError), match=message):
        attention(**{"query": query, "keys": keys} | change)


@every_mechanism
def test_scores_can_be_looked_at_alone(mechanism):
    attention, query, keys = make(mechanism)
    scores = attention.score(query, keys)
    assert scores.shape == (2, *mechanism.heads, 3, 5)
    if not mechanism.local:
        _, weights = attention(query, keys)
        expected = scores.softmax(-1).mean(1) if mechanism.heads else scores.softmax(-1)
        assert torch.allclose(weights, expected, atol=1e-6)
    with pytest.raises(ValueError, match="query must be"):
        attention.score(query[..., :3], keys)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@every_mechanism
def test_the_width_of_the_context_is_known_beforehand(mechanism, dtype):
    attention = mechanism.make().to(dtype)
    before = torch.get_rng_state()
    assert attention.context_dim == DIM
    assert torch.equal(torch.get_rng_state(), before)  # no random numbers were drawn


def test_a_mechanism_must_say_how_to_score():
    with pytest.raises(NotImplementedError):
        Attention(8, 8)(torch.zeros(1, 1, 8), torch.zeros(1, 1, 8))


@pytest.mark.parametrize(
    ("make_mechanism", "message"),
    [
        (lambda: MultiplicativeAttention(4, 6, "dot"), "query_dim == key_dim, got 4 and 6"),
        (
            lambda: MultiplicativeAttention(4, 4, "cosine"),
            '"dot", "general" or "concat", got \'cosine\'',
        ),
        *(
            (lambda heads=heads: MultiHeadAttention(8, heads), "heads must divide dim: 8 /")
            for heads in (3, 0, -2)
        ),
        *(
            (
                lambda kv_heads=kv_heads: MultiHeadAttention(8, heads=4, kv_heads=kv_heads),
                f"kv_heads must divide heads, got {kv_heads} for 4",
            )
            for kv_heads in (3, 0, -2, 8)
        ),
        *(
            (
                lambda name=name, value=value: MultiHeadAttention(8, 4, **{name: value}),
                f"{name} must be .*got {value!r}",
            )
            for name, value in [
                *(("head_dim", 0), ("head_dim", -2)),
                *(("qk_norm", -1e-6), ("bias", "outputs")),
            ]
        ),
        (lambda: LocalAttention(DIM, DIM, 0), "half_width must be 1 or more"),
        (lambda: LocalAttention(DIM, DIM, 2, centres="learned"), '"monotonic" or "predicted"'),
    ],
)
def test_settings_that_cannot_be_are_refused(make_mechanism, message):
    with pytest.raises(ValueError, match=message):
        make_mechanism()


# --- each mechanism against its formula, written as loops ----------------------------------

# A mechanism, and the formula of the papers for its score of one state s and one key h.
FORMULAS = {
    "additive": (
        AdditiveAttention(query_dim=4, key_dim=6, attention_dim=5),
        lambda of, s, h: of.v.weight[0] @ (of.W.weight @ s + of.U.weight @ h).tanh(),
    ),
    "luong dot": (MultiplicativeAttention(4, 4, "dot"), lambda of, s, h: s @ h),
    "luong general": (
        MultiplicativeAttention(4, 6, "general"),
        lambda of, s, h: s @ (of.W.weight @ h),
    ),
    "luong concat": (
        MultiplicativeAttention(4, 6, "concat"),
        lambda of, s, h: FORMULAS["additive"][1](of.scorer, s, h),
    ),
    "scaled": (ScaledDotProductAttention(16), lambda of, s, h: s @ h / math.sqrt(16)),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_scores_follow_the_formula_and_the_context_the_scores(name):
    mechanism, score = FORMULAS[name]
    query, keys = torch.randn(2, 3, mechanism.query_dim), torch.randn(2, 5, mechanism.key_dim)
    expected = torch.stack(
        [
            torch.stack([torch.stack([score(mechanism, s, h) for h in row]) for s in states])
            for states, row in zip(query, keys, strict=True)
        ]
    )
    assert torch.allclose(mechanism.score(query, keys), expected, atol=1e-5)
    context, weights = mechanism(query, keys)
    assert torch.allclose(weights, expected.softmax(-1), atol=1e-5)
    assert torch.allclose(context, expected.softmax(-1) @ keys, atol=1e-5)


def test_additive_scores_with_a_bias_are_those_of_a_well_known_tutorial():
    """It writes Va(tanh(Wa(query) + Ua(keys))) with three layers, each with a bias."""
    mechanism = AdditiveAttention(query_dim=4, key_dim=6, attention_dim=5, bias=True)
    weights = {
        f"{name}.{part}": torch.randn(shape)
        for name, shapes in {"W": (5, 4), "U": (5, 6), "v": (1, 5)}.items()
        for part, shape in (("weight", shapes), ("bias", shapes[:1]))
    }
    mechanism.load_state_dict(weights)
    query, keys = torch.randn(2, 3, 4), torch.randn(2, 5, 6)
    hidden = (query @ weights["W.weight"].T + weights["W.bias"])[:, :, None]
    hidden = hidden + (keys @ weights["U.weight"].T + weights["U.bias"])[:, None]
    expected = (hidden.tanh() @ weights["v.weight"].T + weights["v.bias"]).squeeze(-1)
    assert torch.allclose(mechanism.score(query, keys), expected, atol=1e-5)


def test_one_layer_with_a_bias_can_be_cut_into_two():
    """Another well-known tutorial writes v(tanh(attn_fc([s; h]))), where v has no bias."""
    attn_fc, v = nn.Linear(4 + 6, 5), nn.Linear(5, 1, bias=False)
    of_query, of_key = attn_fc.weight.split([4, 6], dim=1)
    weights = {"W.weight": of_query, "U.weight": of_key, "v.weight": v.weight}
    biases = {"W.bias": attn_fc.bias, "U.bias": torch.zeros(5), "v.bias": torch.zeros(1)}
    mechanism = AdditiveAttention(query_dim=4, key_dim=6, attention_dim=5, bias=True)
    mechanism.load_state_dict(weights | biases)
    state, keys = torch.randn(2, 4), torch.randn(2, 5, 6)
    pairs = torch.cat([state[:, None].expand(-1, 5, -1), keys], dim=-1)  # (batch, src_len, 4 + 6)
    expected = v(attn_fc(pairs).tanh()).squeeze(-1).softmax(-1)
    assert torch.allclose(mechanism(state, keys)[1], expected, atol=1e-6)


def test_the_concatenated_form_is_the_split_form():
    concatenated = ConcatenatedAdditiveAttention(query_dim=4, key_dim=6, attention_dim=5).double()
    split = concatenated.split()
    query, keys = torch.randn(2, 3, 4).double(), torch.randn(2, 5, 6).double()
    mask = padding_mask([5, 2])
    context, weights = split(query, keys, mask=mask)
    same_context, same_weights = concatenated(query, keys, mask=mask)
    assert torch.allclose(weights, same_weights, atol=1e-12)
    assert torch.allclose(context, same_context, atol=1e-12)
    assert count_parameters(split) == count_parameters(concatenated)
    assert count_parameters(split)["total"] == 5 * (4 + 6 + 1)
    nn.init.zeros_(concatenated.v.weight)
    assert split.v.weight.abs().sum() > 0  # copies, not the same memory


@pytest.mark.parametrize("name", ["scaled", "multi-head"])
def test_dropout_touches_the_weights_in_training_alone(name):
    torch.manual_seed(0)
    mechanism = MECHANISMS[name].make(dropout=0.5)
    query, keys = torch.randn(4, 6, DIM), torch.randn(4, 50, DIM)
    _, weights = mechanism(query, keys)
    sums = weights.sum(-1)
    assert not torch.allclose(sums, torch.ones(4, 6), atol=0.01)
    assert abs(sums.mean() - 1) < 0.1  # on average they are kept
    _, weights = mechanism.eval()(query, keys)
    assert torch.allclose(weights.sum(-1), torch.ones(4, 6), atol=1e-5)


def test_the_plain_function_computes_what_the_class_does():
    query, keys, values = torch.randn(2, 3, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 6)
    for mask in (None, padding_mask([4, 0], 5)):
        of_class = ScaledDotProductAttention(8)(query, keys, values, mask)
        assert all(map(torch.equal, scaled_attention(query, keys, values, mask), of_class))
    context, _ = scaled_attention(query[0], keys[0], values[0])  # a single sentence
    assert torch.allclose(context, scaled_attention(query, keys, values)[0][0], atol=1e-6)


# --- multi-head -----------------------------------------------------------------------------


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_only_the_shared_keys_and_values_are_remembered(kv_heads):
    mechanism = MultiHeadAttention(8, heads=4, kv_heads=kv_heads)
    memory = mechanism.remember(torch.randn(3, 5, 8))
    assert memory.keys.shape == memory.values.shape == (3, kv_heads, 5, 2)
    assert memory.keys.untyped_storage().nbytes() == 4 * memory.keys.numel()
    totals = count_parameters(mechanism)["total"]
    assert totals == 2 * (8 * 8 + 8) + 2 * (8 * 2 * kv_heads + 2 * kv_heads)


@pytest.mark.parametrize("kv_heads", [1, 4])
def test_heads_may_be_wider_or_narrower_than_their_share(kv_heads):
    for head_dim in (1, 5):
        mechanism = MultiHeadAttention(8, 4, kv_heads=kv_heads, head_dim=head_dim)
        memory = mechanism.remember(torch.randn(3, 5, 8))
        assert memory.keys.shape == memory.values.shape == (3, kv_heads, 5, head_dim)
        assert mechanism.W_o.weight.shape == (8, 4 * head_dim)
        assert mechanism.attention.scale == head_dim**-0.5


def test_qk_norm_leaves_the_length_of_queries_and_keys_to_its_weights():
    torch.manual_seed(0)
    mechanism = MultiHeadAttention(8, 2, kv_heads=1, qk_norm=1e-12, bias=False)
    states = torch.randn(2, 5, 8)
    scores = mechanism.score(states, states)
    assert scores.abs().max() <= 4**0.5 + 1e-5  # two vectors of length √4, divided by √4
    torch.testing.assert_close(mechanism.score(100 * states, 0.1 * states), scores)
    nn.init.constant_(mechanism.norm_k.weight, 3.0)
    torch.testing.assert_close(mechanism.score(states, states), 3 * scores)


def test_a_bias_of_inputs_is_one_of_queries_keys_and_values_alone():
    mechanism = MultiHeadAttention(8, 2, bias="inputs")
    biased = {name for name, _ in mechanism.named_parameters() if name.endswith("bias")}
    assert biased == {"W_q.bias", "W_k.bias", "W_v.bias"}


def test_splitting_and_joining_heads_are_inverse_and_keep_positions_apart():
    mechanism = MultiHeadAttention(8, 2)
    tensor = torch.arange(2 * 3 * 8).view(2, 3, 8)
    heads = mechanism.split_heads(tensor)
    assert heads.shape == (2, 2, 3, 4)
    assert heads[0, 1, 2].tolist() == tensor[0, 2, 4:].tolist()
    assert torch.equal(mechanism.join_heads(heads), tensor)


def test_weights_are_returned_as_asked():
    mechanism = MultiHeadAttention(8, 2)
    query, keys = torch.randn(2, 3, 8), torch.randn(2, 5, 8)
    context, mean = mechanism(query, keys)
    context_heads, heads = mechanism(query, keys, return_weights="heads")
    context_none, none = mechanism(query, keys, return_weights=None)
    assert mean.shape == (2, 3, 5)
    assert heads.shape == (2, 2, 3, 5)
    assert none is None
    assert torch.allclose(heads.mean(1), mean)
    assert torch.equal(context, context_heads)
    assert torch.allclose(context, context_none, atol=1e-6)
    context, of_heads = mechanism(query[:, 0], keys, return_weights="heads")
    assert context.shape == (2, 8)
    assert of_heads.shape == (2, 2, 5)


@pytest.mark.parametrize("typo", ["none", "head", "Mean", True, 0])
def test_other_weights_than_mean_heads_or_none_are_refused(typo):
    states = torch.zeros(2, 3, 8)
    with pytest.raises(ValueError, match=f'must be "mean", "heads" or None, got {typo!r}'):
        MultiHeadAttention(8, 2)(states, states, return_weights=typo)


@pytest.mark.parametrize(
    "attend",
    [
        LocalAttention(8, 8, half_width=2),
        *(
            partial(SlidingWindowAttention(8, 2), return_weights=return_weights)
            for return_weights in ("mean", None)
        ),
        MultiHeadAttention(8, 2, positions=RotaryPositions(4)),
        MultiHeadAttention(8, 2, positions=AlibiPositions()),
    ],
)
def test_a_single_state_needs_its_position_where_that_matters(attend):
    states = torch.randn(2, 5, 8)
    with pytest.raises(ValueError, match="pass position=step"):
        attend(states[:, 3], states)


def far_keys_count_less(self, query, projected_keys):
    scores = MultiHeadAttention.compare(self, query, projected_keys)
    return scores - torch.arange(scores.shape[-1])


CHANGED_STEPS = {
    "compare": far_keys_count_less,
    "weigh": lambda self, scores, mask: scores.sigmoid(),
    "look_up": lambda self, weights, values: (weights @ values).tanh(),
}


@pytest.mark.parametrize("step", CHANGED_STEPS)
def test_a_class_that_changes_a_step_takes_it_with_weights_and_without(step):
    torch.manual_seed(0)
    changed = type("Changed", (MultiHeadAttention,), {step: CHANGED_STEPS[step]})
    mechanism, states = type("Below", (changed,), {})(8, 2), torch.randn(2, 5, 8)
    plain = MultiHeadAttention(8, 2)
    plain.load_state_dict(mechanism.state_dict())
    context, _ = mechanism(states, states)
    assert (context - plain(states, states)[0]).abs().max() > 1e-3
    without_weights, weights = mechanism(states, states, return_weights=None)
    assert weights is None
    assert torch.equal(without_weights, context)


@pytest.mark.parametrize(
    "shape", [(4, 4), (1, 4, 4), (3, 1, 4), (3, 4, 4), (3, 1, 1, 4), (1, 2, 4, 4)]
)
def test_a_mask_may_have_every_rank_and_each_head_its_own(shape):
    mechanism = MultiHeadAttention(8, 2)
    states = torch.randn(3, 4, 8)
    mask = torch.rand(shape) > 0.3
    full = (mask if mask.dim() == 4 else mask.expand(3, 4, 4).unsqueeze(1)).expand(3, 2, 4, 4)
    expected, _ = mechanism(states, states, mask=full)
    for return_weights in ("heads", None):
        context, weights = mechanism(states, states, mask=mask, return_weights=return_weights)
        assert torch.allclose(context, expected, atol=1e-6)
        assert weights is None or (weights[~full] == 0).all()


def test_self_attention_over_a_sliding_window_needs_a_mask_alone():
    states = torch.randn(2, 7, 8)
    window = causal_mask(7) & window_mask(torch.arange(7), 7, half_width=2)  # 3 words
    assert window.sum(-1).tolist() == [1, 2, 3, 3, 3, 3, 3]
    mechanism = MultiHeadAttention(8, 2)
    context, weights = mechanism(states, states, mask=window)
    for step in range(7):
        seen = states[:, max(0, step - 2) : step + 1]
        expected, expected_weights = mechanism(states[:, step], seen)
        assert torch.allclose(context[:, step], expected, atol=1e-6)
        assert torch.allclose(weights[:, step][:, window[step]], expected_weights, atol=1e-6)
    subclass = SlidingWindowAttention(8, 2, width=3)
    subclass.load_state_dict(mechanism.state_dict())
    assert torch.equal(subclass(states, states)[0], context)


# --- local ----------------------------------------------------------------------------------


def test_a_monotonic_window_follows_the_target_position():
    attention = LocalAttention(DIM, DIM, half_width=1, method="dot")
    query, keys = torch.randn(1, 6, DIM), torch.randn(1, 6, DIM)
    _, weights = attention(query, keys)
    for step in range(6):
        inside = set(range(max(0, step - 1), min(6, step + 2)))
        assert {j for j in range(6) if weights[0, step, j] > 0} == inside
    scores = attention.score(query, keys)[0, 2, 1:4]
    assert torch.allclose(weights[0, 2, 1:4], scores.softmax(-1), atol=1e-6)


def test_a_target_longer_than_its_source_stays_at_the_last_word():
    attention = LocalAttention(DIM, DIM, half_width=1)
    query, keys = torch.randn(2, 8, DIM), torch.randn(2, 6, DIM)
    _, weights = attention(query, keys, mask=padding_mask([6, 3]))
    assert torch.allclose(weights.sum(-1), torch.ones(2, 8), atol=1e-5)
    assert (weights[0, 7, :4] == 0).all()
    assert (weights[1, 7, [0, 3, 4, 5]] == 0).all()


def test_a_predicted_window_has_the_gaussian_after_the_softmax():
    torch.manual_seed(3)
    attention = LocalAttention(DIM, DIM, half_width=2, centres="predicted", method="dot")
    query, keys = torch.randn(1, 4, DIM), torch.randn(1, 12, DIM)
    _, weights = attention(query, keys)
    scores = attention.score(query, keys)
    for step in range(4):
        hidden = (attention.W_p.weight @ query[0, step]).tanh()
        centre = 12 * torch.sigmoid(attention.v_p.weight[0] @ hidden)
        inside = [j for j in range(12) if abs(j - round(centre.item())) <= 2]
        aligned = scores[0, step, inside].softmax(-1)
        gaussian = torch.tensor([math.exp(-((j - centre.item()) ** 2) / 2) for j in inside])
        assert torch.allclose(weights[0, step, inside], aligned * gaussian, atol=1e-6)
        outside = [j for j in range(12) if j not in inside]
        assert (weights[0, step, outside] == 0).all()
    assert (weights.sum(-1) < 1).all()


def test_a_predicted_centre_respects_the_length_of_its_source():
    attention = LocalAttention(DIM, DIM, half_width=1, centres="predicted")
    nn.init.zeros_(attention.v_p.weight)  # sigmoid(0) = 1/2: the middle of the sentence
    query = torch.randn(2, 3, DIM)
    centres = attention.find_centres(query, torch.tensor([[10], [4]]).expand(2, 3))
    assert torch.equal(centres, torch.tensor([[5.0] * 3, [2.0] * 3]))
    _, weights = attention(query, torch.randn(2, 10, DIM), mask=padding_mask([10, 4]))
    assert (weights[0, 0, 4:7] > 0).all()
    assert (weights[1, 0, 1:4] > 0).all()
    assert (weights[1, 0, 4:] == 0).all()
