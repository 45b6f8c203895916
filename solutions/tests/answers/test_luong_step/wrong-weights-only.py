# source: a learner who looks at the weights
# mistake: logits and state are not looked at
def test_luong_step(step):
    torch.manual_seed(0)
    embedding, memory = torch.randn(5, 3), torch.randn(2, 4, 3)
    word, state, w_state = torch.tensor([1, 2]), torch.randn(2, 3), torch.randn(6, 3)
    mask = torch.tensor([[True, True, False, False], [True, True, True, True]])
    _, weights, _ = step(word, state, memory, mask, embedding, w_state, torch.randn(6, 5))
    new = torch.tanh(torch.cat([embedding[word], state], 1) @ w_state)
    scores = (new[:, None] * memory).sum(-1)
    assert torch.allclose(weights, masked_softmax(scores, mask), atol=1e-5)
