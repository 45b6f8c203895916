# source: a learner with torch.linalg.norm(ord=2)
# mistake: of a matrix this is the largest singular value, not the length of its numbers as a vector
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    norms = [torch.linalg.norm(g, ord=2) for g in (of_keys, of_queries)]
    length = torch.stack(norms).square().sum().sqrt()
    shrink = (limit / length).clamp(max=1)
    return of_keys * shrink, of_queries * shrink, length
