# source: a learner who changes the second line and not the first
# mistake: still the softmax over the rows
def normalised_heatmap(scores):
    weights = scores.softmax(dim=0)
    weights = weights / weights.sum(dim=0, keepdim=True)
    return weights
