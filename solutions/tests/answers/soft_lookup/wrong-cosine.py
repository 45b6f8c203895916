# source: a learner who knows similarity search
# mistake: scores by the cosine
def soft_lookup(query, keys, values):
    sim = torch.nn.functional.cosine_similarity(query[:, None], keys[None], dim=-1)
    weights = sim.softmax(dim=-1)
    return weights @ values, weights
