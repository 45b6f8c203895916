# source: a language model: the term of each head
def head_ablation(contexts, w_o, b_o):
    heads, head_dim = contexts.shape[1], contexts.shape[-1]
    parts = w_o.view(-1, heads, head_dim)
    terms = torch.einsum("bhtd,ohd->hbto", contexts, parts)
    outputs = terms.sum(0) - terms + b_o
    return outputs, terms.norm(dim=-1).mean(dim=(1, 2)).detach()
