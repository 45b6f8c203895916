# source: a learner who asserts laws only
# mistake: rows sum to 1, and weights far away are 0
def test_local_general(local_general):
    torch.manual_seed(0)
    q, k, W = torch.randn(2, 6, 4), torch.randn(2, 6, 3), torch.randn(4, 3)
    context, weights = local_general(q, k, W, torch.tensor([6, 3]), 1)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 6))
    assert (weights[:, 0, 2:] == 0).all()
