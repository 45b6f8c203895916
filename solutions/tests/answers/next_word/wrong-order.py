# source: a learner who lays the likeliest first
# mistake: the pieces lie in the order of likelihood, not of the ids
def next_word(logits, temperature, k, uniform):
    top = (logits / temperature).topk(k, dim=-1)
    shares = top.values.softmax(-1)
    chances = torch.zeros_like(logits).scatter(1, top.indices, shares)
    piece = (shares.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=k - 1)
    return chances, top.indices.gather(1, piece[:, None])[:, 0]
