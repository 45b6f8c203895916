# source: written from the task's text, 2026-11
import heapq
import torch
from utils.corpora import EOS

def beam_step(scores, log_probs, finished):
    candidates = []
    for b in range(len(scores)):
        if finished[b]:
            candidates.append((scores[b].item(), b, EOS))
        else:
            row = (scores[b] + log_probs[b]).tolist()
            candidates += [(s, b, w) for w, s in enumerate(row)]
    top = heapq.nlargest(len(scores), candidates, key=lambda c: c[0])
    best, parents, words = zip(*top)
    return torch.tensor(best, dtype=scores.dtype), torch.tensor(parents), torch.tensor(words)
