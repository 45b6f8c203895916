# source: written from the task's text, 2026-11
# mistake: the largest entry is looked for before trimming, so a row whose favourite is <eos> has no link
import torch

def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    columns = [j for j, w in enumerate(source) if w not in special]
    rows = [i for i, w in enumerate(target[1:]) if w not in special]
    links = torch.zeros_like(weights, dtype=torch.bool)
    links[torch.arange(len(weights)), weights.argmax(1)] = True
    return weights[rows][:, columns], links[rows][:, columns]
