# source: an algebra person: the output is a sum of terms, so one is taken away
def head_ablation(contexts, w_o, b_o):
    terms = torch.einsum("bhtd,ohd->hbto", contexts, w_o.unflatten(1, contexts.shape[1::2]))
    whole = terms.sum(0) + b_o
    outputs = whole - terms
    moved = terms.norm(dim=-1).flatten(1).mean(1)
    return outputs, moved
