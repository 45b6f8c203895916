# source: a learner who reports the wrong length
# mistake: the length after clipping
def clip_together(of_keys, of_queries, limit):
    length = (of_keys.square().sum() + of_queries.square().sum()).sqrt()
    shrink = torch.clamp(limit / length, max=1.0)
    return of_keys * shrink, of_queries * shrink, length * shrink
