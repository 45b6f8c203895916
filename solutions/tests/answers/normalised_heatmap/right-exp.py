# source: a learner who writes the softmax out
def normalised_heatmap(scores):
    shifted = scores - scores.amax(dim=1, keepdim=True)
    weights = shifted.exp()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights
