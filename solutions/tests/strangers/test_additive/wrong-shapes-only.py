# source: a language model that tests what is easy to test
# mistake: only shapes and row sums are looked at; a wrong score or a mixture of the wrong values passes
def test_additive(additive):
    torch.manual_seed(1)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    W_query, W_key, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    context, weights = additive(query, keys, values, None, W_query, W_key, v)
    assert context.shape == (2, 3, 7)
    assert weights.shape == (2, 3, 5)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3))
    assert (weights >= 0).all()
