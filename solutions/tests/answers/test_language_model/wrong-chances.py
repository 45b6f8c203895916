# source: a learner who asserts that chances are chances
# mistake: rows sum to 1, and nothing else
def test_language_model(language_model):
    torch.manual_seed(0)
    args = [torch.randn(7, 4), torch.randn(5, 4), torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4), torch.randn(4, 6), torch.randn(6, 4)]
    p = language_model(torch.randint(7, (2, 5)), *args)
    assert p.shape == (2, 5, 7)
    assert torch.allclose(p.sum(-1), torch.ones(2, 5))
