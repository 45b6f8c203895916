# source: a learner with the loops the other way round
# mistake: the outer loop runs over keys, and reshape instead of a transpose scrambles the table
def additive_scores_loop(states, keys, W_joined, v):
    out = []
    for k in keys:
        for s in states:
            out.append(v @ torch.tanh(W_joined @ torch.cat([s, k])))
    return torch.stack(out).reshape(states.size(0), keys.size(0))
