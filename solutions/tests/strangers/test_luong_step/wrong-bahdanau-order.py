# source: a Bahdanau person
# mistake: the test expects the old state to ask, so the right version is blamed
def test_luong_step(step):
    torch.manual_seed(2)
    word, state, memory = torch.tensor([1, 2]), torch.randn(2, 4), torch.randn(2, 5, 4)
    rest = torch.randn(6, 3), torch.randn(7, 4), torch.randn(8, 6)
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]).bool()
    _, weights, _ = step(word, state, memory, mask, *rest)
    expected = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    assert torch.allclose(weights, expected, atol=1e-5)
