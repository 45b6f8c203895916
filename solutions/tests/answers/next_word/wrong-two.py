# source: two slips at once
# mistake: multiplies by the temperature, and takes the likeliest word
def next_word(logits, temperature, k, uniform):
    top = (logits * temperature).topk(k, dim=-1)
    chances = torch.zeros_like(logits).scatter(1, top.indices, top.values.softmax(-1))
    return chances, chances.argmax(-1)
