# source: a learner who fills a table
# mistake: .item() cuts the gradient, and the tanh comes last
def additive_scores_loop(states, keys, W_joined, v):
    scores = torch.zeros(len(states), len(keys))
    for i, s in enumerate(states):
        for j, h in enumerate(keys):
            scores[i, j] = torch.tanh(v @ (W_joined @ torch.cat([s, h]))).item()
    return scores
