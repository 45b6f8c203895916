# source: a learner who knows clip_grad_value_
# mistake: clips each number at the limit
def clip_together(of_keys, of_queries, limit):
    length = torch.cat([of_keys.flatten(), of_queries.flatten()]).norm()
    return of_keys.clamp(-limit, limit), of_queries.clamp(-limit, limit), length
