# source: a learner who thinks that v is a vector, so it has no bias
# mistake: the bias of v is missing in both
def additive_parameters(query_dim, key_dim, attention_dim):
    plain = (query_dim + key_dim + 1) * attention_dim
    return plain, plain + 2 * attention_dim, plain + attention_dim
