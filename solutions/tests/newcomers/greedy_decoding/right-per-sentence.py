# source: written from the task's text, 2026-11
import torch
from utils.corpora import EOS, PAD, SOS

def greedy_decoding(table, limit):
    following = table.argmax(-1).tolist()
    sentences = []
    for nxt in following:
        out, w = [], nxt[SOS]
        while w != EOS and len(out) < limit:
            out.append(w)
            w = nxt[w]
        sentences.append(out)
    ids = torch.tensor([s + [PAD] * (limit - len(s)) for s in sentences], dtype=torch.long)
    ids = ids.reshape(len(table), limit)
    return ids, torch.tensor([len(s) for s in sentences], dtype=torch.long)
