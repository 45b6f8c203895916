# source: a tester with a slow reference
def test_attend(attend):
    def reference(query, keys, values, mask):
        B, T, S = query.shape[0], query.shape[1], keys.shape[1]
        keep = torch.ones(B, T, S, dtype=torch.bool) if mask is None else mask.expand(B, T, S)
        w = torch.zeros(B, T, S)
        for b in range(B):
            for t in range(T):
                row = keep[b, t]
                if row.any():
                    w[b, t, row] = ((keys[b, row] @ query[b, t]) / query.shape[2] ** 0.5).softmax(0)
        return w @ values, w

    torch.manual_seed(5)
    for loud in (1.0, 8.0):
        q, k, v = torch.randn(2, 3, 4) * loud, torch.randn(2, 5, 4), torch.randn(2, 5, 7)
        random = torch.rand(2, 3, 5) < 0.6
        random[1, 0] = False
        padding = torch.tensor([[[1, 1, 1, 0, 0]], [[1, 1, 0, 0, 0]]]).bool()
        for mask in (None, random, padding, torch.ones(3, 5).tril().bool()):
            context, weights = attend(q, k, v, mask)
            c, w = reference(q, k, v, mask)
            assert context.shape == c.shape and weights.shape == w.shape
            assert torch.allclose(weights, w, atol=1e-4) and torch.allclose(context, c, atol=1e-4)
            assert (weights[w == 0] == 0).all() or mask is None
    big = torch.eye(4)[None] * 2000
    context, weights = attend(big, big, big)
    assert torch.allclose(weights, torch.eye(4)[None], atol=1e-5)
