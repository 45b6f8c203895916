# source: a learner who writes [h; s]
# mistake: key and state are joined in the other order
def additive_scores_loop(states, keys, W_joined, v):
    return torch.stack(
        [
            torch.stack([v @ torch.tanh(W_joined @ torch.cat([k, q])) for k in keys])
            for q in states
        ]
    )
