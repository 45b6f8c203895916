# source: written from the task's text, 2026-11
# mistake: only rows of one word and the sums of the chances are tested, so nearly every bug slips through
import torch

def test_language_model(language_model):
    torch.manual_seed(0)
    words = torch.tensor([[1], [3], [0]])
    embedding, places = torch.randn(5, 4), torch.randn(6, 4)
    w_q, w_k, w_v = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4)
    w_1, w_2 = torch.randn(4, 8), torch.randn(8, 4)
    chances = language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2)
    assert chances.shape == (3, 1, 5)
    assert torch.allclose(chances.sum(-1), torch.ones(3, 1), atol=1e-5)
