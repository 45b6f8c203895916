# source: written from the task's text, 2026-11
# mistake: a finished hypothesis keeps its place whatever its score, and only the others compete
import torch
from utils.corpora import EOS

def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    total = scores[:, None] + log_probs
    total = total.masked_fill(finished[:, None], float("-inf"))
    done = finished.nonzero().flatten()
    best, flat = total.flatten().topk(beam - len(done))
    best = torch.cat([scores[done], best])
    parents = torch.cat([done, flat // vocab])
    words = torch.cat([torch.full_like(done, EOS), flat % vocab])
    order = best.argsort(descending=True)
    return best[order], parents[order], words[order]
