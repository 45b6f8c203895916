# source: a learner who knows clip_grad_value_
# mistake: every entry is clipped to ±limit, which turns the direction, and the length goes by entries
@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = (of_keys.pow(2).sum() + of_queries.pow(2).sum()).sqrt()
    return of_keys.clamp(-limit, limit), of_queries.clamp(-limit, limit), length
