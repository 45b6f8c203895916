# source: a learner who tests that the future is not seen
# mistake: causality only
def test_language_model(language_model):
    torch.manual_seed(0)
    args = [torch.randn(7, 4), torch.randn(5, 4), torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4), torch.randn(4, 6), torch.randn(6, 4)]
    words = torch.tensor([[1, 2, 3, 4, 5]])
    changed = torch.tensor([[1, 2, 3, 6, 0]])
    assert torch.allclose(language_model(words, *args)[:, :3], language_model(changed, *args)[:, :3], atol=1e-5)
