# source: written from the task's text, 2026-11
# mistake: the reference asks with the state before the update, and so blames the right version
import torch

def test_luong_step(step):
    torch.manual_seed(0)
    word = torch.tensor([1, 4, 2])
    state, memory = torch.randn(3, 5), torch.randn(3, 4, 5)
    embedding, w_state, w_output = torch.randn(6, 7), torch.randn(12, 5) / 3, torch.randn(10, 6)
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]]).bool()
    logits, weights, new = step(word, state, memory, mask, embedding, w_state, w_output)
    scores = torch.einsum("bd,bsd->bs", state, memory).masked_fill(~mask, float("-inf"))
    expected = scores.softmax(-1)
    expected_state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)
    assert torch.allclose(new, expected_state, atol=1e-5)
    assert torch.allclose(weights, expected, atol=1e-5)
