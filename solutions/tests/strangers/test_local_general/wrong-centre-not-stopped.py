# source: a learner whose reference forgets the last word
# mistake: the reference lets the centre run past the sentence, so long targets look at nothing there, and right versions are blamed
def test_local_general(local_general):
    torch.manual_seed(1)
    query, keys, W = torch.randn(2, 7, 3), torch.randn(2, 5, 4), torch.randn(3, 4)
    lengths = torch.tensor([5, 3])
    j = torch.arange(5)
    near = (j - torch.arange(7)[:, None]).abs() <= 1
    mask = near & (j < lengths[:, None, None])
    weights = masked_softmax(query @ W @ keys.mT, mask)
    context, found = local_general(query, keys, W, lengths, 1)
    assert torch.allclose(found, weights, atol=1e-4)
    assert torch.allclose(context, weights @ keys, atol=1e-4)
