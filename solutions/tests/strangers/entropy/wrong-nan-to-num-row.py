# source: a learner who patches NaN after the fact
# mistake: NaN is replaced after the sum, so a row with a single zero gets entropy 0
def entropy(weights):
    h = -(weights * weights.log()).sum(dim=-1)
    return torch.nan_to_num(h)
