# source: somebody used to nn.MultiheadAttention, where True hides
# mistake: its own reference reads the mask the other way round, so the right version is blamed
def test_additive(additive):
    torch.manual_seed(3)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    W_query, W_key, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    mask = torch.rand(2, 3, 5) > 0.5
    mask[..., 0] = False
    scores = torch.tanh((query @ W_query.T)[:, :, None] + (keys @ W_key.T)[:, None]) @ v
    weights = scores.masked_fill(mask, -1e9).softmax(-1)
    context, found = additive(query, keys, values, mask, W_query, W_key, v)
    assert torch.allclose(found, weights, atol=1e-5)
    assert torch.allclose(context, weights @ values, atol=1e-5)
