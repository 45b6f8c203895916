# source: a tester with a reference and large padding
def test_luong_step(step):
    def reference(word, state, memory, mask, embedding, w_state, w_output):
        new = torch.tanh(torch.cat([embedding[word], state], 1) @ w_state)
        scores = (new[:, None] * memory).sum(-1).masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1)
        context = (weights[..., None] * memory).sum(1)
        return torch.cat([context, new], 1) @ w_output, weights, new

    torch.manual_seed(4)
    for batch, src, dim in [(3, 5, 4), (2, 6, 3), (1, 2, 5), (4, 3, 2)]:
        embedding = torch.randn(7, 6)
        word = torch.randint(7, (batch,))
        state, memory = torch.randn(batch, dim), torch.randn(batch, src, dim) * 2
        mask = torch.arange(src) < torch.randint(1, src + 1, (batch,))[:, None]
        mask[0] = torch.arange(src) < 1
        w_state, w_output = torch.randn(6 + dim, dim), torch.randn(2 * dim, 9)
        got = step(word, state, memory, mask, embedding, w_state, w_output)
        expected = reference(word, state, memory, mask, embedding, w_state, w_output)
        for g, e in zip(got, expected):
            assert g.shape == e.shape
            assert torch.allclose(g, e, atol=1e-4)
        assert (got[1][~mask] == 0).all()
