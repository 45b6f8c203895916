# source: a learner with the smallest example
# mistake: with a batch of one, a single query, equal widths and a mask that hides nothing, most bugs cannot show
def test_attend(attend):
    q, k, v = torch.ones(1, 1, 4), torch.eye(4)[None], torch.eye(4)[None]
    context, weights = attend(q, k, v, torch.ones(1, 1, 4, dtype=torch.bool))
    assert torch.allclose(weights, torch.full((1, 1, 4), 0.25))
    assert torch.allclose(context, torch.full((1, 1, 4), 0.25))
