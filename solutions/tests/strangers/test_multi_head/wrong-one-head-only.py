# source: a learner who tests with heads=1, where the formula is easy
# mistake: with one head all bugs of splitting, joining and scale stay hidden
def test_multi_head(multi_head):
    torch.manual_seed(0)
    x, w = torch.randn(2, 4, 6), torch.randn(4, 6, 6)
    mask = torch.rand(2, 4, 4) > 0.3
    weights = masked_softmax((x @ w[0]) @ (x @ w[1]).mT / math.sqrt(6), mask)
    output, found = multi_head(x, *w, 1, mask)
    assert torch.allclose(found[:, 0], weights, atol=1e-5)
    assert torch.allclose(output, weights @ x @ w[2] @ w[3], atol=1e-3)
