# source: a tester with a reference, and changed words
def test_language_model(language_model):
    def norm(x):
        return nn.functional.layer_norm(x, x.shape[-1:])

    def reference(words, embedding, places, w_q, w_k, w_v, w_1, w_2):
        x = embedding[words] + places[: words.shape[1]]
        y = norm(x)
        scores = (y @ w_q) @ (y @ w_k).mT / w_q.shape[1] ** 0.5
        open_ = torch.ones(words.shape[1], words.shape[1]).tril().bool()
        x = x + scores.masked_fill(~open_, -torch.inf).softmax(-1) @ (y @ w_v)
        x = x + (norm(x) @ w_1).relu() @ w_2
        return (norm(x) @ embedding.T).softmax(-1)

    torch.manual_seed(0)
    for batch, length, dim, key_dim in [(2, 5, 6, 3), (3, 4, 4, 7), (1, 1, 5, 2), (2, 6, 8, 4)]:
        words = torch.randint(9, (batch, length))
        args = (torch.randn(9, dim), torch.randn(length + 2, dim), torch.randn(dim, key_dim),
                torch.randn(dim, key_dim), torch.randn(dim, dim), torch.randn(dim, 10), torch.randn(10, dim))
        got = language_model(words, *args)
        assert got.shape == (batch, length, 9)
        assert torch.allclose(got, reference(words, *args), atol=1e-4)
