# source: a learner who looks at the sums of the rows
# mistake: asserts that rows sum to 1 and no more
def test_additive(additive):
    torch.manual_seed(0)
    _, w = additive(torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7), None,
                    torch.randn(8, 4), torch.randn(8, 6), torch.randn(8))
    assert torch.allclose(w.sum(-1), torch.ones(2, 3))
