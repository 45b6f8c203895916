# source: a learner who asserts that every row sums to 1
# mistake: the mask has a row that is masked whole, whose right sum is 0, so the right version is blamed
def test_additive(additive):
    torch.manual_seed(2)
    query, keys = torch.randn(2, 3, 4), torch.randn(2, 5, 6)
    W_query, W_key, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    mask = torch.tensor([[[1, 1, 0, 0, 1]], [[0, 0, 0, 0, 0]]]).bool()
    context, weights = additive(query, keys, keys, mask, W_query, W_key, v)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)
    assert torch.allclose(context, weights @ keys, atol=1e-5)
