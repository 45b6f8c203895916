# source: a learner who copies clip_grad_norm_, underscore and all
# mistake: the caller's gradients are shortened in place, so the log's 'before' is gone, and with a soft shrink short gradients change too
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = (of_keys.square().sum() + of_queries.square().sum()).sqrt()
    shrink = limit / (length + limit)
    return of_keys.mul_(shrink), of_queries.mul_(shrink), length
