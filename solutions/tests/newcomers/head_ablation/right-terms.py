# source: written from the task's text, 2026-11
import torch

def head_ablation(contexts, w_o, b_o):
    heads, width = contexts.shape[1], contexts.shape[3]
    blocks = w_o.unflatten(1, (heads, width))
    terms = torch.einsum("bhtd,ohd->hbto", contexts, blocks)
    outputs = terms.sum(0) + b_o - terms
    moved = torch.linalg.vector_norm(terms, dim=-1).flatten(1).mean(1)
    return outputs, moved
