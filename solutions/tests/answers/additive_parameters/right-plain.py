# source: a learner who counts layer by layer
def additive_parameters(query_dim, key_dim, attention_dim):
    weights = query_dim * attention_dim + key_dim * attention_dim + attention_dim
    return weights, weights + attention_dim + attention_dim + 1, weights + attention_dim + 1
