# source: a learner who compares with the given luong_step
# mistake: the mask is all True, so a bug in the masking never shows
def test_luong_step(step):
    torch.manual_seed(0)
    word, state, memory = torch.tensor([1, 2]), torch.randn(2, 4), torch.randn(2, 5, 4)
    rest = torch.randn(6, 3), torch.randn(7, 4), torch.randn(8, 6)
    mask = torch.ones(2, 5, dtype=torch.bool)
    for found, right in zip(step(word, state, memory, mask, *rest), luong_step(word, state, memory, *rest)):
        assert torch.allclose(found, right, atol=1e-5)
