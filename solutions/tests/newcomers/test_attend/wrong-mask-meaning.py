# source: written from the task's text, 2026-11
# mistake: the test expects True to mean hidden, and so blames the right version
import torch
import torch.nn.functional as F

def test_attend(attend):
    torch.manual_seed(3)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    context, weights = attend(q, k, v)
    assert torch.allclose(context, F.scaled_dot_product_attention(q, k, v), atol=1e-5)
    hidden = torch.zeros(2, 3, 5, dtype=torch.bool)
    hidden[:, :, 3:] = True
    context, weights = attend(q, k, v, hidden)
    assert (weights[:, :, 3:] == 0).all()
    assert torch.allclose(context, F.scaled_dot_product_attention(q, k[:, :3], v[:, :3]), atol=1e-5)
