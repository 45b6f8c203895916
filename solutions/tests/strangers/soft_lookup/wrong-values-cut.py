# source: a learner who allocates the context like the query
# mistake: the context is as wide as the query, so wider values are cut (or it raises where they are narrower)
def soft_lookup(query, keys, values):
    weights = torch.softmax(torch.einsum("td,sd->ts", query, keys), dim=-1)
    context = torch.zeros_like(query)
    for i in range(len(query)):
        for j in range(len(keys)):
            context[i] += weights[i, j] * values[j, : query.shape[1]]
    return context, weights
