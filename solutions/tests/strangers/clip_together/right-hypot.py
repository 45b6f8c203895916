# source: a mathematician: the length of a vector of lengths
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.hypot(of_keys.norm(), of_queries.norm())
    shrink = limit / torch.clamp(length, min=limit)
    return of_keys * shrink, of_queries * shrink, length
