# source: a learner whose mask masks nothing
# mistake: the mask is all True, so that no mask bug shows
def test_additive(additive):
    torch.manual_seed(1)
    q, k, val = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    wq, wk, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    c, w = additive(q, k, val, torch.ones(2, 3, 5, dtype=torch.bool), wq, wk, v)
    scores = torch.tanh((q @ wq.T)[:, :, None] + (k @ wk.T)[:, None]) @ v
    assert torch.allclose(w, scores.softmax(-1), atol=1e-5)
    assert torch.allclose(c, w @ val, atol=1e-5)
