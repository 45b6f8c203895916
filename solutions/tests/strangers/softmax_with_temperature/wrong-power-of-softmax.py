# source: a language model that remembers that temperature is a power of the chances
# mistake: the softmax at temperature 1 has underflowed before the power is taken, so hot rows of large scores come out one-hot or sharper than they are
def softmax_with_temperature(scores, temperature):
    p = torch.softmax(scores, dim=-1)
    p = p ** (1.0 / temperature)
    return p / p.sum(dim=-1, keepdim=True)
