# source: a learner who writes queries @ keys.T as always
# mistake: every query is scored with every key, not row n with row n
def score_variance(queries, keys, widths):
    plain = torch.stack([(queries[:, :d] @ keys[:, :d].T).var(unbiased=False) for d in widths])
    scaled = plain / torch.tensor(widths)
    return plain, scaled
