# source: a learner with one sentence and no padding
# mistake: a target as long as the source, nothing padded
def test_local_general(local_general):
    torch.manual_seed(0)
    q, k, W = torch.randn(1, 5, 4), torch.randn(1, 5, 3), torch.randn(4, 3)
    context, weights = local_general(q, k, W, torch.tensor([5]), 1)
    place = torch.arange(5)
    window = (place[:, None] - place).abs() <= 1
    w = masked_softmax(q @ W @ k.mT, window)
    assert torch.allclose(weights, w, atol=1e-5)
    assert torch.allclose(context, w @ k, atol=1e-5)
