# source: a learner who counts a bias for each input
# mistake: a linear layer is given as many biases as it has inputs
def additive_parameters(query_dim, key_dim, attention_dim):
    plain = query_dim * attention_dim + key_dim * attention_dim + attention_dim
    split = plain + query_dim + key_dim + attention_dim
    joined = plain + (query_dim + key_dim) + attention_dim
    return plain, split, joined
