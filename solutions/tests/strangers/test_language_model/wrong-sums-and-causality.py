# source: a property tester: sums to 1, and later words change nothing
# mistake: two properties only: a wrong norm, scale or residual passes
def test_language_model(language_model):
    torch.manual_seed(1)
    rest = [torch.randn(*s) for s in ((7, 6), (5, 6), (6, 4), (6, 4), (6, 6), (6, 9), (9, 6))]
    words = torch.tensor([[1, 4, 2, 0, 3]])
    other = torch.tensor([[1, 4, 2, 6, 5]])
    one, two = language_model(words, *rest), language_model(other, *rest)
    assert torch.allclose(one.sum(-1), torch.ones(1, 5), atol=1e-5)
    assert torch.allclose(one[:, :3], two[:, :3], atol=1e-5)
