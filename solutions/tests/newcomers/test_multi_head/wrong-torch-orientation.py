# source: written from the task's text, 2026-11
# mistake: the reference multiplies by the transposed matrices, and so blames the right version
import torch
import torch.nn.functional as F

def test_multi_head(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 5, 6)
    wq, wk, wv, wo = torch.randn(4, 6, 6)
    out, weights = multi_head(x, wq, wk, wv, wo, 2)
    q, k, v = (F.linear(x, w).view(2, 5, 2, 3).transpose(1, 2) for w in (wq, wk, wv))
    expected = (q @ k.mT / 3**0.5).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(out, F.linear((expected @ v).transpose(1, 2).flatten(2), wo), atol=1e-4)
