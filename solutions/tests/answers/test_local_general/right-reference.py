# source: a tester with a slow reference
def test_local_general(local_general):
    def reference(query, keys, W, lengths, D):
        B, T, S = query.shape[0], query.shape[1], keys.shape[1]
        weights = torch.zeros(B, T, S)
        for b in range(B):
            n = int(lengths[b])
            for t in range(T):
                centre = min(t, n - 1)
                places = [j for j in range(n) if abs(j - centre) <= D]
                e = torch.stack([query[b, t] @ W @ keys[b, j] for j in places])
                weights[b, t, places] = torch.softmax(e, 0)
        return weights @ keys, weights

    torch.manual_seed(0)
    for T, S, lengths, D, loud in [(9, 6, [6, 4, 1], 1, 1.0), (5, 7, [7, 3, 5], 2, 1.0), (4, 4, [2, 4, 3], 3, 10.0), (8, 5, [5, 2, 1], 1, 0.3)]:
        q, k, W = torch.randn(3, T, 4) * loud, torch.randn(3, S, 5), torch.randn(4, 5)
        context, weights = local_general(q, k, W, torch.tensor(lengths), D)
        c, w = reference(q, k, W, torch.tensor(lengths), D)
        assert weights.shape == w.shape and context.shape == c.shape
        assert torch.allclose(weights, w, atol=1e-4)
        assert torch.allclose(context, c, atol=1e-4)
        assert (weights[w == 0] == 0).all()
