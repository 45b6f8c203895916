# source: written from the task's text, 2026-11
# mistake: all inputs have W as the identity, tgt_len = src_len and no padding, so most bugs slip through
import torch

def test_local_general(local_general):
    torch.manual_seed(0)
    x = torch.randn(2, 4, 4)
    W = torch.eye(4)
    lengths = torch.tensor([4, 4])
    context, weights = local_general(x, x, W, lengths, 1)
    i = torch.arange(4)
    mask = (i[:, None] - i[None]).abs() <= 1
    expected = (x @ x.transpose(1, 2)).masked_fill(~mask, float("-inf")).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(context, expected @ x, atol=1e-5)
