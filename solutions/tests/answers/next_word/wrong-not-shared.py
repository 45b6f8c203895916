# source: a learner who cuts after the softmax
# mistake: the chances of the k words are not shared out again
def next_word(logits, temperature, k, uniform):
    p = (logits / temperature).softmax(-1)
    least = p.topk(k, dim=-1).values[:, -1:]
    chances = torch.where(p >= least, p, 0.0)
    word = (chances.cumsum(-1) <= uniform[:, None]).sum(-1)
    return chances, word.clamp(max=p.shape[1] - 1)
