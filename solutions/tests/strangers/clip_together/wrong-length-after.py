# source: a learner who logs at the end
# mistake: the length that is returned is that after clipping
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.sqrt((of_keys**2).sum() + (of_queries**2).sum())
    shrink = torch.clamp(limit / length, max=1.0)
    length = length * shrink
    return of_keys * shrink, of_queries * shrink, length
