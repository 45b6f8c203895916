# source: a learner who keeps the first softmax and adds the right one
# mistake: softmax of a softmax
def normalised_heatmap(scores):
    weights = scores.softmax(dim=0)
    weights = weights.softmax(dim=-1)
    return weights
