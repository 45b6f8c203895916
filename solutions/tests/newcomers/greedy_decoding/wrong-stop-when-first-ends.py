# source: written from the task's text, 2026-11
# mistake: the loop stops as soon as one sentence has ended, and the others stay short
import torch
from utils.corpora import EOS, PAD, SOS

def greedy_decoding(table, limit):
    batch = len(table)
    ids = torch.full((batch, limit), PAD)
    lengths = torch.zeros(batch, dtype=torch.long)
    word = torch.full((batch,), SOS)
    rows = torch.arange(batch)
    for step in range(limit):
        word = table[rows, word].argmax(-1)
        if (word == EOS).any():
            break
        ids[:, step] = word
        lengths += 1
    return ids, lengths
