# source: written from the task's text, 2026-11
# mistake: it demands that a row masked whole still sums to 1, and so blames the right version
import torch

def test_additive(additive):
    g = torch.Generator().manual_seed(1)
    q = torch.randn(2, 3, 4, generator=g)
    k = torch.randn(2, 5, 6, generator=g)
    val = torch.randn(2, 5, 7, generator=g)
    Wq, Wk, v = torch.randn(8, 4, generator=g), torch.randn(8, 6, generator=g), torch.randn(8, generator=g)
    mask = torch.rand(2, 3, 5, generator=g) > 0.4
    mask[1, 2] = False
    context, weights = additive(q, k, val, mask, Wq, Wk, v)
    assert weights.shape == (2, 3, 5) and context.shape == (2, 3, 7)
    assert not weights.isnan().any()
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)
    assert torch.allclose(context, weights @ val, atol=1e-5)
