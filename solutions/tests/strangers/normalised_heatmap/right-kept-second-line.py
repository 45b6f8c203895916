# source: somebody who mends the axis and leaves the harmless division in place
def normalised_heatmap(scores):
    weights = scores.T.softmax(dim=0).T
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights
