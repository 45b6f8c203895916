# source: a learner with identity matrices
# mistake: all four matrices alike, so that mixing them up does not show
def test_multi_head(multi_head):
    torch.manual_seed(0)
    x, eye = torch.randn(1, 4, 6), torch.eye(6)
    out, weights = multi_head(x, eye, eye, eye, eye, 2)
    parts = x.unflatten(-1, (2, 3)).transpose(1, 2)
    w = (parts @ parts.mT / 3 ** 0.5).softmax(-1)
    assert torch.allclose(weights, w, atol=1e-5)
    assert torch.allclose(out, (w @ parts).transpose(1, 2).flatten(2), atol=1e-5)
