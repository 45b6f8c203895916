# source: the usual top-p code, which sorts
# mistake: the pieces lie in the order of their size, not of the ids
def next_word(logits, temperature, k, uniform):
    values, ids = (logits / temperature).topk(k, dim=-1)
    p = values.softmax(-1)
    place = (p.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=k - 1)
    chances = torch.zeros_like(logits).scatter(1, ids, p)
    return chances, ids.gather(1, place[:, None])[:, 0]
