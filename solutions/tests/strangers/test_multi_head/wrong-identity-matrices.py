# source: a learner who simplifies with identities
# mistake: with identity matrices for all four, swapped or transposed projections give the same
def test_multi_head(multi_head):
    torch.manual_seed(1)
    x, eye = torch.randn(2, 5, 8), torch.eye(8)
    output, weights = multi_head(x, eye, eye, eye, eye, 2)
    h = x.unflatten(-1, (2, 4)).transpose(1, 2)
    expected = (h @ h.mT / 2).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(output, (expected @ h).transpose(1, 2).flatten(2), atol=1e-5)
