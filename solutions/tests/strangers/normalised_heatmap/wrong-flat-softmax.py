# source: a learner who divides a joint softmax by its row sums
# mistake: one softmax over the whole table underflows where rows lie far apart, and 0/0 makes NaN
def normalised_heatmap(scores):
    weights = scores.flatten().softmax(0).view_as(scores)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights
