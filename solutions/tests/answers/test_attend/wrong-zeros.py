# source: a learner whose queries are all zero
# mistake: equal scores everywhere show no fault of the scores
def test_attend(attend):
    q, k, v = torch.zeros(1, 2, 4), torch.randn(1, 3, 4), torch.arange(6.0).reshape(1, 3, 2)
    c, w = attend(q, k, v, torch.tensor([[[True, True, False]]]))
    assert torch.allclose(w, torch.tensor([0.5, 0.5, 0.0]).expand(1, 2, 3))
    assert torch.allclose(c, torch.tensor([1.0, 2.0]).expand(1, 2, 2))
