# source: a learner who tests with full sentences only
# mistake: all sentences fill the batch, so a forgotten padding mask or a centre that runs into the padding is never seen
def test_local_general(local_general):
    torch.manual_seed(0)
    query, keys, W = torch.randn(2, 4, 3), torch.randn(2, 6, 5), torch.randn(3, 5)
    lengths = torch.tensor([6, 6])
    j = torch.arange(6)
    mask = (j[None] - torch.arange(4)[:, None]).abs() <= 1
    weights = (query @ W @ keys.mT).masked_fill(~mask, -1e30).softmax(-1)
    context, found = local_general(query, keys, W, lengths, 1)
    assert torch.allclose(found, weights, atol=1e-4)
    assert torch.allclose(context, weights @ keys, atol=1e-4)
