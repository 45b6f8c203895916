# source: a language model: searchsorted
def next_word(logits, temperature, k, uniform):
    logits = logits / temperature
    top = logits.topk(k, dim=-1)
    chances = torch.zeros_like(logits).scatter(1, top.indices, top.values.softmax(-1))
    word = torch.searchsorted(chances.cumsum(-1), uniform[:, None], right=True)[:, 0]
    return chances, word.clamp(max=logits.shape[1] - 1)
