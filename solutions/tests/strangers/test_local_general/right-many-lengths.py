# source: a tester with an own reference in double precision, and every edge in a loop
def test_local_general(local_general):
    torch.manual_seed(11)

    def expected(query, keys, W, lengths, half_width):
        query, keys, W = query.double(), keys.double(), W.double()
        weights = torch.zeros(len(query), query.shape[1], keys.shape[1], dtype=torch.float64)
        for b, n in enumerate(lengths.tolist()):
            for t in range(query.shape[1]):
                centre = min(t, n - 1)
                low, high = max(centre - half_width, 0), min(centre + half_width + 1, n)
                scores = keys[b, low:high] @ (query[b, t] @ W)
                weights[b, t, low:high] = scores.softmax(0)
        return weights @ keys, weights

    cases = [
        (3, 9, 6, 4, 5, [6, 3, 1], 1, 1.0),
        (3, 8, 7, 3, 2, [7, 5, 2], 2, 1.0),
        (2, 4, 9, 5, 3, [9, 4], 3, 1.0),
        (2, 6, 6, 4, 4, [6, 2], 1, 1.0),
        (2, 6, 5, 3, 4, [5, 1], 9, 1.0),
        (1, 1, 5, 3, 4, [3], 1, 1.0),
        (3, 9, 6, 4, 5, [2, 6, 4], 2, 40.0),
        (2, 7, 1, 2, 3, [1, 1], 1, 1.0),
    ]
    for b, t, s, q, k, lengths, d, loud in cases:
        query, keys, W = loud * torch.randn(b, t, q), torch.randn(b, s, k), torch.randn(q, k)
        lengths = torch.tensor(lengths)
        kept = query.clone(), keys.clone(), W.clone(), lengths.clone()
        context, weights = local_general(query, keys, W, lengths, d)
        for now, before in zip((query, keys, W, lengths), kept):
            assert torch.equal(now, before)
        right_context, right_weights = expected(*kept, d)
        assert context.shape == right_context.shape and weights.shape == right_weights.shape
        assert (weights[right_weights == 0] == 0).all() or loud > 1
        assert (weights.double() - right_weights).abs().max() < 1e-3
        assert (context.double() - right_context).abs().max() < 1e-3
