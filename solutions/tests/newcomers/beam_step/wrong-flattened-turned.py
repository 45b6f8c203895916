# source: written from the task's text, 2026-11
# mistake: the table is turned before it is flattened, but the index is taken apart as if it were not
import torch
from utils.corpora import EOS

def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    only_eos = torch.full((vocab,), float("-inf"))
    only_eos[EOS] = 0.0
    log_probs = torch.where(finished[:, None], only_eos, log_probs)
    total = (scores[:, None] + log_probs).T.reshape(-1)
    best, flat = total.topk(beam)
    parents = flat // vocab
    words = flat % vocab
    return best, parents, words
