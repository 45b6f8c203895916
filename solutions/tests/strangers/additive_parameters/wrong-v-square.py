# source: a learner for whom every layer keeps its width
# mistake: v is counted as attention_dim by attention_dim
def additive_parameters(query_dim, key_dim, attention_dim):
    a = attention_dim
    plain = a * query_dim + a * key_dim + a * a
    return plain, plain + 3 * a, plain + 2 * a
