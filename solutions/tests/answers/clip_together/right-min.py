# source: a learner: the smaller of 1 and the factor
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.cat([of_keys.flatten(), of_queries.flatten()]).norm()
    shrink = min(1.0, limit / length.item()) if length > 0 else 1.0
    return of_keys * shrink, of_queries * shrink, length
