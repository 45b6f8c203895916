# source: a numpy person: the word's id is the number of pieces that end at or before the number
def next_word(logits, temperature, k, uniform):
    """`chances` (batch, vocab) and `word` (batch,)."""
    vocab = logits.shape[1]
    rank = logits.argsort(dim=1, descending=True, stable=True).argsort(dim=1)
    chances = (logits / temperature).masked_fill(rank >= k, float("-inf")).softmax(dim=1)
    ends = chances.cumsum(dim=1)
    word = (ends <= uniform[:, None]).sum(dim=1)
    last = vocab - 1 - (chances > 0).flip(1).int().argmax(dim=1)  # where rounding ends below 1
    return chances, word.minimum(last)
