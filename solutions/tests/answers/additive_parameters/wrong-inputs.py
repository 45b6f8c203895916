# source: a learner who gives each input a bias
# mistake: biases of the width of what comes in
def additive_parameters(query_dim, key_dim, attention_dim):
    plain = attention_dim * (query_dim + key_dim) + attention_dim
    split = plain + query_dim + key_dim + attention_dim
    joined = plain + query_dim + key_dim + attention_dim
    return plain, split, joined
