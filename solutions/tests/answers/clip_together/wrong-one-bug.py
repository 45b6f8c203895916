# source: a learner who finds the second bug only
# mistake: the lengths are still added
def clip_together(of_keys, of_queries, limit):
    length = of_keys.norm() + of_queries.norm()
    shrink = (limit / length).clamp(max=1.0)
    return of_keys * shrink, of_queries * shrink, length
