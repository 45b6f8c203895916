# source: a learner who leaves one head in
# mistake: only head h remains
def head_ablation(contexts, w_o, b_o):
    heads, head_dim = contexts.shape[1], contexts.shape[-1]
    terms = torch.einsum("bhtd,ohd->hbto", contexts, w_o.view(-1, heads, head_dim))
    outputs = terms + b_o
    whole = terms.sum(0) + b_o
    return outputs, (outputs - whole).norm(dim=-1).mean(dim=(1, 2))
