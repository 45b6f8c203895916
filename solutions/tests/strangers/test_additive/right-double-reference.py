# source: a tester: a reference in double precision, many shapes, masks and sizes of scores
def test_additive(additive):
    generator = torch.Generator().manual_seed(3)

    def draw(*shape):
        return torch.randn(*shape, generator=generator)

    def reference(query, keys, values, mask, W_query, W_key, v):
        query, keys, values, W_query, W_key, v = (
            x.double() for x in (query, keys, values, W_query, W_key, v)
        )
        scores = torch.tanh((query @ W_query.T)[:, :, None] + (keys @ W_key.T)[:, None]) @ v
        if mask is None:
            weights = scores.softmax(-1)
        else:
            mask = mask.expand_as(scores)
            weights = scores.masked_fill(~mask, -1e300).softmax(-1).masked_fill(~mask, 0)
        return weights @ values, weights

    def sized(b, t, s, q, k, x, a, loud, mask):
        query, keys, values = draw(b, t, q), draw(b, s, k), draw(b, s, x)
        inputs = [query, keys, values, mask, draw(a, q), draw(a, k), loud * draw(a)]
        kept = [None if one is None else one.clone() for one in inputs]
        context, weights = additive(*inputs)
        for one, before in zip(inputs, kept):
            assert one is None or torch.equal(one, before)
        right_context, right_weights = reference(*kept)
        assert context.shape == right_context.shape
        assert weights.shape == right_weights.shape
        assert not context.isnan().any() and not weights.isnan().any()
        assert torch.allclose(weights.double(), right_weights, atol=1e-4)
        assert torch.allclose(context.double(), right_context, atol=1e-3)
        if mask is not None:
            assert (weights[~mask.expand_as(weights)] == 0).all()

    for loud in (1.0, 30.0):
        sized(2, 3, 4, 5, 6, 7, 8, loud, None)
        mask = torch.rand(2, 3, 4, generator=generator) > 0.4
        mask[0, 0], mask[1, 1] = False, True
        mask[1, 2] = torch.tensor([True, False, False, False])
        sized(2, 3, 4, 5, 6, 7, 8, loud, mask)
        sized(2, 3, 4, 5, 6, 7, 8, loud, torch.tensor([4, 2])[:, None, None] > torch.arange(4))
        sized(2, 3, 4, 5, 6, 7, 8, loud, torch.tensor([0, 1])[:, None, None] > torch.arange(4))
        sized(2, 4, 4, 3, 3, 3, 3, loud, torch.ones(4, 4, dtype=torch.bool).tril())
        sized(1, 1, 5, 2, 3, 4, 6, loud, torch.tensor([False, True, True, False, True]))
        sized(3, 2, 1, 4, 2, 5, 3, loud, None)
