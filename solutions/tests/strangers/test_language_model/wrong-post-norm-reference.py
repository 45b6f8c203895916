# source: a reader of the paper of 2017
# mistake: the reference normalises after each layer, where the model is in pre-norm, so the right version is blamed
def test_language_model(language_model):
    torch.manual_seed(2)

    def norm(x):
        return nn.functional.layer_norm(x, x.shape[-1:])

    words = torch.tensor([[1, 4, 2, 0]])
    embedding, places = torch.randn(5, 6), torch.randn(4, 6)
    w_q, w_k, w_v, w_1, w_2 = torch.randn(6, 3), torch.randn(6, 3), torch.randn(6, 6), torch.randn(6, 8), torch.randn(8, 6)
    x = embedding[words] + places
    hidden = torch.ones(4, 4).triu(1).bool()
    scores = ((x @ w_q) @ (x @ w_k).mT / 3**0.5).masked_fill(hidden, -torch.inf)
    x = norm(x + scores.softmax(-1) @ (x @ w_v))
    x = norm(x + (x @ w_1).relu() @ w_2)
    expected = (x @ embedding.T).softmax(-1)
    found = language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2)
    assert torch.allclose(found, expected, atol=1e-4)
