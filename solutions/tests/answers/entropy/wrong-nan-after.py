# source: a learner: mends the NaN where it shows
# mistake: a row with a zero gets the entropy 0, since the NaN is replaced after the sum
def entropy(weights):
    h = -(weights * weights.log()).sum(-1)
    return torch.nan_to_num(h)
