# source: a learner with an if
def clip_together(of_keys, of_queries, limit):
    length = (of_keys.pow(2).sum() + of_queries.pow(2).sum()).sqrt()
    if length > limit:
        return limit * of_keys / length, limit * of_queries / length, length
    return of_keys, of_queries, length
