# source: a tester with a slow reference in plain double precision
def test_attend(attend):
    generator = torch.Generator().manual_seed(5)

    def slow(query, keys, values, mask):
        query, keys, values = query.double(), keys.double(), values.double()
        b, t, s = len(query), query.shape[1], keys.shape[1]
        allowed = torch.ones(b, t, s, dtype=torch.bool) if mask is None else mask.expand(b, t, s)
        weights = torch.zeros(b, t, s, dtype=torch.float64)
        for n in range(b):
            for i in range(t):
                open_keys = allowed[n, i].nonzero()[:, 0]
                if len(open_keys):
                    scores = keys[n, open_keys] @ query[n, i] / math.sqrt(query.shape[-1])
                    weights[n, i, open_keys] = scores.softmax(0)
        return weights @ values, weights

    for b, t, s, d, v, loud in [
        (2, 3, 4, 5, 6, 1), (2, 4, 4, 9, 3, 1), (1, 1, 6, 2, 2, 1), (2, 5, 3, 4, 4, 60), (3, 2, 1, 4, 5, 1),
    ]:
        query, keys = loud * torch.randn(b, t, d, generator=generator), torch.randn(b, s, d, generator=generator)
        values = torch.randn(b, s, v, generator=generator)
        some = torch.rand(b, t, s, generator=generator) > 0.4
        some[0, 0] = False
        some[-1, -1] = True
        for mask in (None, some, some[:, -1:], some[-1]):
            before = [None if x is None else x.clone() for x in (query, keys, values, mask)]
            context, weights = attend(query, keys, values, mask)
            for x, y in zip((query, keys, values, mask), before):
                assert x is None or torch.equal(x, y)
            right_context, right_weights = slow(query, keys, values, mask)
            assert weights.shape == right_weights.shape and context.shape == right_context.shape
            assert torch.allclose(weights.double(), right_weights, atol=1e-4)
            assert torch.allclose(context.double(), right_context, atol=1e-4)
            assert (weights[right_weights == 0] == 0).all() or loud > 1
