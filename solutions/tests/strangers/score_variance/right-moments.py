# source: a statistician: E[x²] - E[x]², in double precision
def score_variance(queries, keys, widths):
    products = (queries.double() * keys.double()).cumsum(-1)
    scores = products[:, torch.as_tensor(list(widths)) - 1]
    plain = (scores**2).mean(0) - scores.mean(0) ** 2
    scaled = plain / torch.as_tensor(list(widths))
    return plain.to(queries.dtype), scaled.to(queries.dtype)
