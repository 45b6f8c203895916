# source: a learner who looks at the next word of the whole text only
# mistake: only the last place is compared, which sees everything with and without a causal mask
def test_language_model(language_model):
    torch.manual_seed(0)

    def norm(x):
        return nn.functional.layer_norm(x, x.shape[-1:])

    words = torch.tensor([[1, 4, 2, 0]])
    embedding, places = torch.randn(5, 6), torch.randn(4, 6)
    w_q, w_k, w_v, w_1, w_2 = torch.randn(6, 3), torch.randn(6, 3), torch.randn(6, 6), torch.randn(6, 8), torch.randn(8, 6)
    x = embedding[words] + places
    y = norm(x)
    x = x + ((y @ w_q) @ (y @ w_k).mT / 3**0.5).softmax(-1) @ (y @ w_v)
    x = x + (norm(x) @ w_1).relu() @ w_2
    expected = (norm(x) @ embedding.T).softmax(-1)
    found = language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2)
    assert torch.allclose(found[:, -1], expected[:, -1], atol=1e-4)
