# source: a learner whose reference renormalises
# mistake: the test expects the given weights with zeros under the mask, which do not sum to 1, so the right version is blamed
def test_luong_step(step):
    torch.manual_seed(1)
    word, state, memory = torch.tensor([1, 2]), torch.randn(2, 4), torch.randn(2, 5, 4)
    rest = torch.randn(6, 3), torch.randn(7, 4), torch.randn(8, 6)
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]).bool()
    _, weights, _ = luong_step(word, state, memory, *rest)
    _, found, _ = step(word, state, memory, mask, *rest)
    assert torch.allclose(found, weights * mask, atol=1e-5)
