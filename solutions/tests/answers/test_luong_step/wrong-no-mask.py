# source: a learner who never masks
# mistake: a mask of True only
def test_luong_step(step):
    torch.manual_seed(0)
    embedding, memory = torch.randn(5, 3), torch.randn(2, 4, 3)
    logits, weights, new = step(torch.tensor([1, 2]), torch.randn(2, 3), memory,
                                torch.ones(2, 4, dtype=torch.bool), embedding, torch.randn(6, 3), torch.randn(6, 5))
    assert torch.allclose(weights.sum(-1), torch.ones(2), atol=1e-5)
    assert logits.shape == (2, 5) and new.shape == (2, 3)
