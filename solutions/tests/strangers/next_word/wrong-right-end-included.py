# source: a learner with searchsorted's default
# mistake: a piece includes its right end instead of its left one, so 0 can draw a word without a chance
def next_word(logits, temperature, k, uniform):
    lowest = logits.topk(k).values[:, -1:]
    chances = (logits / temperature).masked_fill(logits < lowest, -torch.inf).softmax(-1)
    word = torch.searchsorted(chances.cumsum(-1), uniform[:, None])[:, 0]
    return chances, word.clamp(max=logits.shape[1] - 1)
