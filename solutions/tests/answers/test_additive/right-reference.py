# source: a tester: against a slow reference, on random inputs and every kind of mask
def test_additive(additive):
    def reference(query, keys, values, mask, W_query, W_key, v):
        B, T, S = query.shape[0], query.shape[1], keys.shape[1]
        weights = torch.zeros(B, T, S)
        context = torch.zeros(B, T, values.shape[2])
        full = torch.ones(B, T, S, dtype=torch.bool) if mask is None else mask.expand(B, T, S)
        for b in range(B):
            for t in range(T):
                e = torch.stack([v @ torch.tanh(W_query @ query[b, t] + W_key @ keys[b, s]) for s in range(S)])
                keep = full[b, t]
                if keep.any():
                    weights[b, t, keep] = torch.softmax(e[keep], 0)
                context[b, t] = weights[b, t] @ values[b]
        return context, weights

    torch.manual_seed(3)
    for size in (1.0, 5.0):
        q, k, val = torch.randn(2, 3, 4) * size, torch.randn(2, 5, 6) * size, torch.randn(2, 5, 7)
        wq, wk, v = torch.randn(8, 4), torch.randn(8, 6), torch.randn(8) * size
        random = torch.rand(2, 3, 5) < 0.5
        random[0, 1] = False
        random[1, 2] = True
        pad = torch.tensor([[[True, True, True, False, False]], [[True, False, False, False, False]]])
        causal = torch.ones(3, 5).tril().bool()
        for mask in (None, random, pad, causal[None], random[:, :, :1]):
            context, weights = additive(q, k, val, mask, wq, wk, v)
            c, w = reference(q, k, val, mask, wq, wk, v)
            assert context.shape == c.shape and weights.shape == w.shape
            assert torch.allclose(context, c, atol=1e-4) and torch.allclose(weights, w, atol=1e-4)
            if mask is not None:
                assert (weights[~mask.expand_as(weights)] == 0).all()
