# source: written from the task's text, 2026-11
import torch

def next_word(logits, temperature, k, uniform):
    chances = torch.zeros_like(logits)
    drawn = []
    for b, row in enumerate(logits / temperature):
        ids = sorted(range(len(row)), key=lambda i: -row[i].item())[:k]
        chances[b, ids] = torch.softmax(row[ids], dim=0)
        left, pick = 0.0, None
        for w in sorted(ids):
            p = chances[b, w].item()
            if p > 0:
                pick = w
            left += p
            if uniform[b].item() < left:
                break
        drawn.append(pick)
    return chances, torch.tensor(drawn)
