# source: a programmer who tests with torch.equal
# mistake: equality to the last bit blames a right version that computes in another order
def test_additive(additive):
    torch.manual_seed(0)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    W_query, W_key, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    scores = torch.zeros(2, 3, 5)
    for b in range(2):
        for t in range(3):
            for s in range(5):
                scores[b, t, s] = v @ torch.tanh(W_query @ query[b, t] + W_key @ keys[b, s])
    weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
    context, found = additive(query, keys, values, None, W_query, W_key, v)
    assert torch.equal(found, weights)
    assert torch.equal(context, weights @ values)
