"""Test that outputs, weights and gradients equal PyTorch's own, for every kind of mask."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.parity import CASES, GROUPED_HEADS, grouped_query, multi_head, scaled_dot_product
from utils.attention import MultiHeadAttention, ScaledDotProductAttention
from utils.torch_twins import from_torch, to_torch

TOLERANCE = {torch.float32: 2e-6, torch.float64: 1e-10}  # relative to the largest entry

by_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
by_dtype = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)


@by_case
@pytest.mark.parametrize("size", [1, 100])
def test_in_float16_nothing_overflows_that_does_not_in_pytorch(case, size):
    """Before they are scaled, the larger scores are beyond 65,504, the end of float16."""
    torch.manual_seed(0)
    mask, half = case.mask(), {"dtype": torch.float16}
    hidden = None if mask is None else ~mask
    query, keys, values = (
        size * torch.randn(case.batch, length, 64, **half)
        for length in (case.tgt_len, case.src_len, case.src_len)
    )
    module = nn.MultiheadAttention(64, 1, batch_first=True, **half)
    scaled, head = ScaledDotProductAttention(64), from_torch(module)
    theirs = (
        F.scaled_dot_product_attention(query, keys, values, mask),
        *2 * (module(query, keys, values, attn_mask=hidden, need_weights=False)[0],),
    )
    ours = (
        scaled(query, keys, values, mask)[0],
        *(head(query, keys, values, mask, return_weights=kind)[0] for kind in ("mean", None)),
    )
    for context, expected in zip(ours, theirs, strict=True):
        assert expected.isfinite().all()
        assert context.isfinite().all()
        if size == 1:  # large scores lie far apart in float16, so which key wins may be chance
            torch.testing.assert_close(context, expected, atol=5e-3, rtol=5e-3)


@by_case
@by_dtype
def test_scaled_dot_product(case, dtype):
    apart = scaled_dot_product(case, dtype)
    assert set(apart) == {"outputs", "weights", "gradients"}
    assert max(apart.values()) <= TOLERANCE[dtype], apart


@by_case
@by_dtype
@pytest.mark.parametrize("fused", [False, True], ids=["with weights", "fused"])
@pytest.mark.parametrize("back", [False, True], ids=["from torch", "to torch"])
def test_multi_head(case, dtype, fused, back):
    apart = multi_head(case, dtype, fused, back)
    assert set(apart) >= {"outputs", "gradients"}
    assert max(apart.values()) <= TOLERANCE[dtype], apart


@by_case
@by_dtype
@pytest.mark.parametrize("fused", [False, True], ids=["with weights", "fused"])
@pytest.mark.parametrize(
    "settings",
    [
        *({"kv_heads": kv_heads} for kv_heads in (1, 2, GROUPED_HEADS)),
        {"kv_heads": 2, "head_dim": 10},
        {"kv_heads": 2, "bias": "inputs"},
        {"kv_heads": 2, "qk_norm": 1e-6},
        {"kv_heads": 1, "qk_norm": 0.1, "head_dim": 2, "bias": False},
    ],
    ids=lambda settings: " ".join(f"{name} {value}" for name, value in settings.items()),
)
def test_grouped_query(case, dtype, fused, settings):
    apart = grouped_query(case, dtype, fused=fused, **settings)
    assert set(apart) >= {"outputs", "gradients"}
    assert max(apart.values()) <= TOLERANCE[dtype], apart


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kv_heads", [1, 2])
def test_grouped_heads_are_repeated_for_pytorch_and_averaged_on_the_way_back(kv_heads, bias):
    class Grouped(MultiHeadAttention):
        def __init__(self, *sizes, **settings):
            super().__init__(*sizes, **settings, kv_heads=kv_heads)

    ours = Grouped(12, 4, 6, 10, bias=bias)
    theirs = to_torch(ours)
    query, keys, values = torch.randn(2, 3, 12), torch.randn(2, 5, 6), torch.randn(2, 5, 10)
    for actual, expected in zip(
        ours(query, keys, values), theirs(query, keys, values), strict=True
    ):
        assert torch.allclose(actual, expected, atol=1e-6)
    back = from_torch(theirs, Grouped)
    for name, tensor in ours.state_dict().items():
        assert torch.allclose(back.state_dict()[name], tensor, atol=1e-6), name
    key_heads = theirs.k_proj_weight.detach().unflatten(0, (4, -1))  # (heads, head_dim, key_dim)
    nn.init.normal_(theirs.k_proj_weight)
    expected = torch.cat([group.mean(0) for group in key_heads.chunk(kv_heads)])
    assert torch.allclose(from_torch(theirs, Grouped).W_k.weight, expected, atol=1e-6)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("widths", [{}, {"kdim": 6, "vdim": 10}])
def test_copies_share_no_memory_and_lose_nothing_on_the_way_back(bias, widths):
    theirs = nn.MultiheadAttention(12, 4, dropout=0.3, bias=bias, batch_first=True, **widths)
    ours = from_torch(theirs)
    back = to_torch(ours)
    assert ours.attention.dropout.p == back.dropout == 0.3
    assert theirs.state_dict().keys() == back.state_dict().keys()
    for name, tensor in theirs.state_dict().items():
        assert torch.equal(tensor, back.state_dict()[name])
        assert tensor.data_ptr() != back.state_dict()[name].data_ptr()
    nn.init.zeros_(theirs.out_proj.weight)
    assert ours.W_o.weight.abs().sum() > 0


@pytest.mark.parametrize(
    ("name", "value"), [("head_dim", 5), ("qk_norm", 1e-6), ("bias", "inputs")]
)
def test_what_pytorch_s_module_lacks_is_not_copied(name, value):
    with pytest.raises(ValueError, match=f"{name}.* no counterpart in nn.MultiheadAttention"):
        to_torch(MultiHeadAttention(12, 4, **{name: value}))


def test_a_head_width_that_says_what_is_so_anyway_is_copied():
    ours, states = MultiHeadAttention(12, 4, head_dim=3), torch.randn(2, 5, 12)
    assert torch.allclose(ours(states, states)[0], to_torch(ours)(states, states, states)[0])


@pytest.mark.parametrize("extra", ["add_bias_kv", "add_zero_attn"])
def test_what_has_no_counterpart_is_refused(extra):
    with pytest.raises(ValueError, match="no counterpart"):
        from_torch(nn.MultiheadAttention(12, 4, **{extra: True}))
