# source: a language model that reads 'how many numbers does it learn' as a total
# mistake: the counts of all modules are added up to one number
def additive_parameters(query_dim, key_dim, attention_dim):
    plain = (attention_dim * (query_dim + key_dim + 1)).sum()
    split = plain + (2 * attention_dim + 1).sum()
    joined = plain + (attention_dim + 1).sum()
    return plain, split, joined
