# source: a learner who takes "look-up" at its word
# mistake: takes the best value only
def soft_lookup(query, keys, values):
    weights = (query @ keys.T).softmax(-1)
    return values[weights.argmax(-1)], weights
