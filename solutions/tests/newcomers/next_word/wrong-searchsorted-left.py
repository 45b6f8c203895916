# source: written from the task's text, 2026-11
# mistake: searchsorted with its default side gives a number on a border to the piece that ends there
import torch

def next_word(logits, temperature, k, uniform):
    z = logits / temperature
    kept = torch.zeros_like(z, dtype=torch.bool).scatter(-1, z.topk(k, -1).indices, True)
    chances = torch.where(kept, z, -torch.inf).softmax(-1)
    word = torch.searchsorted(chances.cumsum(-1), uniform.unsqueeze(-1)).squeeze(-1)
    return chances, word.clamp(max=logits.shape[-1] - 1)
