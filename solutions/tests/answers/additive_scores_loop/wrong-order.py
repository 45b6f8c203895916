# source: a learner who joins them the other way round
# mistake: [h; s] in place of [s; h]
def additive_scores_loop(states, keys, W_joined, v):
    return torch.stack(
        [torch.stack([v @ torch.tanh(W_joined @ torch.cat([h, s])) for h in keys]) for s in states]
    )
