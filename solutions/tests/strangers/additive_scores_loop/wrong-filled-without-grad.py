# source: a learner who met 'a leaf Variable that requires grad ... in-place' once and now uses .data
# mistake: the cells are filled through .data, so the scores carry no gradient
def additive_scores_loop(states, keys, W_joined, v):
    scores = torch.zeros(states.shape[0], keys.shape[0])
    for t in range(states.shape[0]):
        for j in range(keys.shape[0]):
            pair = torch.cat([states[t], keys[j]])
            scores.data[t, j] = v @ torch.tanh(W_joined @ pair)
    return scores
