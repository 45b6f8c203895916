# source: somebody who takes 'one long vector' by its word
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    """The two gradients, clipped together, and their length before."""
    long = torch.cat([of_keys.flatten(), of_queries.flatten()])
    length = long.norm()
    if length > limit:
        long = long / length * limit
    n = of_keys.numel()
    return long[:n].view_as(of_keys), long[n:].view_as(of_queries), length
