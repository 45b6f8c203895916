# source: a tester: each prefix by itself in double precision
def test_language_model(language_model):
    generator = torch.Generator().manual_seed(17)

    def norm(x):
        x = x - x.mean(-1, keepdim=True)
        return x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()

    def slow(words, embedding, places, w_q, w_k, w_v, w_1, w_2):
        embedding, places, w_q, w_k, w_v, w_1, w_2 = (
            m.double() for m in (embedding, places, w_q, w_k, w_v, w_1, w_2)
        )
        table = torch.zeros(*words.shape, len(embedding), dtype=torch.float64)
        for b in range(len(words)):
            for t in range(words.shape[1]):
                x = embedding[words[b, : t + 1]] + places[: t + 1]
                y = norm(x)
                a = ((y @ w_k) @ (y[-1] @ w_q) / w_q.shape[1] ** 0.5).softmax(0)
                z = x[-1] + a @ (y @ w_v)
                z = z + (norm(z) @ w_1).clamp(min=0) @ w_2
                table[b, t] = (embedding @ norm(z)).softmax(0)
        return table

    for b, n, vocab, dim, key, hidden, more, loud in [
        (2, 5, 7, 6, 4, 9, 0, 1), (3, 4, 6, 8, 3, 5, 3, 1), (1, 1, 5, 4, 6, 3, 2, 1),
        (2, 6, 9, 5, 5, 5, 1, 0.5), (2, 6, 6, 6, 6, 6, 0, 3), (2, 5, 8, 4, 2, 7, 2, 10),
    ]:
        def draw(*shape):
            return torch.randn(*shape, generator=generator)

        words = torch.randint(vocab, (b, n), generator=generator)
        words[:, -1] = words[:, 0]
        inputs = (
            words, loud * draw(vocab, dim), loud * draw(n + more, dim), draw(dim, key), draw(dim, key),
            loud * draw(dim, dim), draw(dim, hidden), loud * draw(hidden, dim),
        )
        if loud == 0.5:  # place and word nearly cancel, so that epsilon counts
            words[:] = 2
            inputs[2][:] = 0.003 * draw(n + more, dim) - inputs[1][2]
        before = [x.clone() for x in inputs]
        found = language_model(*inputs)
        for x, y in zip(inputs, before):
            assert torch.equal(x, y)
        right = slow(*before)
        assert found.shape == right.shape
        assert (found.double() - right).abs().max() < 1e-3
