# source: a learner who concludes that the softmax was the culprit
# mistake: the scores are shifted and divided by their sum; there is no exponential
def normalised_heatmap(scores):
    weights = scores - scores.min(dim=-1, keepdim=True).values
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights
