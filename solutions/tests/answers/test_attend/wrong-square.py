# source: a learner with one size for everything
# mistake: all sizes alike, no mask
def test_attend(attend):
    torch.manual_seed(0)
    q = k = v = torch.randn(3, 3, 3)
    c, w = attend(q, k, v)
    assert torch.allclose(w.sum(-1), torch.ones(3, 3))
    assert c.shape == (3, 3, 3)
    assert not torch.isnan(c).any()
