# source: two slips at once
# mistake: the logarithm of base 2, and the mean in place of the sum
def entropy(weights):
    return torch.special.entr(weights).mean(-1) / 0.6931471805599453
