# source: a learner with a bare topk over the flattened table
# mistake: the k likeliest of the whole batch are kept, so some rows keep none or too many
def next_word(logits, temperature, k, uniform):
    lowest = logits.flatten().topk(k * len(logits)).values[-1]
    chances = (logits / temperature).masked_fill(logits < lowest, -1e9).softmax(-1)
    word = (chances.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=logits.shape[1] - 1)
    return chances, word
