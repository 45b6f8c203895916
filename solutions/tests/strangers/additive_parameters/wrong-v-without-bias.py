# source: a learner who thinks of v as a vector, not as a layer
# mistake: the single bias of v's layer is forgotten in both counts
def additive_parameters(query_dim, key_dim, attention_dim):
    plain = attention_dim * (query_dim + key_dim) + attention_dim
    split = plain + attention_dim + attention_dim
    joined = plain + attention_dim
    return plain, split, joined
