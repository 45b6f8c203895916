# source: written from the task's text, 2026-11
# mistake: in the joined form the first layer gets a bias for every input instead of every output
def additive_parameters(query_dim, key_dim, attention_dim):
    plain = (query_dim + key_dim + 1) * attention_dim
    split = plain + 2 * attention_dim + 1
    joined = plain + (query_dim + key_dim) + 1
    return plain, split, joined
