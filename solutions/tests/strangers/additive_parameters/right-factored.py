# source: an algebra person
def additive_parameters(query_dim, key_dim, attention_dim):
    """Three counts, whole numbers of the shape of the widths, (modules,)."""
    weights = (query_dim + key_dim + 1) * attention_dim
    return weights, weights + 2 * attention_dim + 1, weights + attention_dim + 1
