# source: somebody who knows that an empty row is NaN in older PyTorch
# mistake: an empty row is expected to be NaN, where the course's version gives zeros
def test_attend(attend):
    torch.manual_seed(0)
    q, k, v = torch.randn(1, 2, 4), torch.randn(1, 3, 4), torch.randn(1, 3, 5)
    mask = torch.tensor([[[True, False, True], [False, False, False]]])
    _, weights = attend(q, k, v, mask)
    scores = (q @ k.mT / 2).masked_fill(~mask, -math.inf)
    assert torch.allclose(weights, scores.softmax(-1), atol=1e-5, equal_nan=True)
