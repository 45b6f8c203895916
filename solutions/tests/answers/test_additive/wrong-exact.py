# source: a learner who compares with ==
# mistake: blames the right version for its last digits
def test_additive(additive):
    torch.manual_seed(0)
    q, k, val = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    wq, wk, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8)
    c, w = additive(q, k, val, None, wq, wk, v)
    scores = torch.tanh((q @ wq.T)[:, :, None] + (k @ wk.T)[:, None]) @ v
    assert (w == scores.softmax(-1)).all()
    assert (c == w @ val).all()
