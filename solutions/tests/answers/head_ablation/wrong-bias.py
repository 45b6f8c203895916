# source: a learner who loses the bias
# mistake: the outputs have no bias
def head_ablation(contexts, w_o, b_o):
    heads, head_dim = contexts.shape[1], contexts.shape[-1]
    terms = torch.einsum("bhtd,ohd->hbto", contexts, w_o.view(-1, heads, head_dim))
    return terms.sum(0) - terms, terms.norm(dim=-1).mean(dim=(1, 2))
