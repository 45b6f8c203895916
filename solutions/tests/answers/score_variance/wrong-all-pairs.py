# source: a learner: the whole table of scores
# mistake: every row of queries against every row of keys
def score_variance(queries, keys, widths):
    tables = [queries[:, :d] @ keys[:, :d].T for d in widths]
    plain = torch.stack([table.var(correction=0) for table in tables])
    return plain, plain / torch.tensor(widths)
