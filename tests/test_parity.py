"""Test that outputs, weights and gradients equal PyTorch's own, for every kind of mask."""

import pytest
import torch
from torch import nn

from tests.parity import CASES, GROUPED_HEADS, grouped_query, multi_head, scaled_dot_product
from utils.attention import MultiHeadAttention

TOLERANCE = {torch.float32: 2e-6, torch.float64: 1e-10}  # relative to the largest entry

by_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
by_dtype = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)


@by_case
@by_dtype
def test_scaled_dot_product(case, dtype):
    apart = scaled_dot_product(case, dtype)
    assert set(apart) == {"outputs", "weights", "gradients"}
    assert max(apart.values()) <= TOLERANCE[dtype], apart


@by_case
@by_dtype
@pytest.mark.parametrize("fused", [False, True], ids=["with weights", "fused"])
@pytest.mark.parametrize("to_torch", [False, True], ids=["from torch", "to torch"])
def test_multi_head(case, dtype, fused, to_torch):
    apart = multi_head(case, dtype, fused, to_torch)
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
    theirs = ours.to_torch()
    query, keys, values = torch.randn(2, 3, 12), torch.randn(2, 5, 6), torch.randn(2, 5, 10)
    for actual, expected in zip(
        ours(query, keys, values), theirs(query, keys, values), strict=True
    ):
        assert torch.allclose(actual, expected, atol=1e-6)
    back = Grouped.from_torch(theirs)
    for name, tensor in ours.state_dict().items():
        assert torch.allclose(back.state_dict()[name], tensor, atol=1e-6), name
    key_heads = theirs.k_proj_weight.detach().unflatten(0, (4, -1))  # (heads, head_dim, key_dim)
    nn.init.normal_(theirs.k_proj_weight)
    expected = torch.cat([group.mean(0) for group in key_heads.chunk(kv_heads)])
    assert torch.allclose(Grouped.from_torch(theirs).W_k.weight, expected, atol=1e-6)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("widths", [{}, {"kdim": 6, "vdim": 10}])
def test_copies_share_no_memory_and_lose_nothing_on_the_way_back(bias, widths):
    theirs = nn.MultiheadAttention(12, 4, dropout=0.3, bias=bias, batch_first=True, **widths)
    ours = MultiHeadAttention.from_torch(theirs)
    back = ours.to_torch()
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
        MultiHeadAttention(12, 4, **{name: value}).to_torch()


def test_a_head_width_that_says_what_is_so_anyway_is_copied():
    ours, states = MultiHeadAttention(12, 4, head_dim=3), torch.randn(2, 5, 12)
    assert torch.allclose(ours(states, states)[0], ours.to_torch()(states, states, states)[0])


@pytest.mark.parametrize("extra", ["add_bias_kv", "add_zero_attn"])
def test_what_has_no_counterpart_is_refused(extra):
    with pytest.raises(ValueError, match="no counterpart"):
        MultiHeadAttention.from_torch(nn.MultiheadAttention(12, 4, **{extra: True}))
