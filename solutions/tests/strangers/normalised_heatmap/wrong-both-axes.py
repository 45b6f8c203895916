# source: a language model that normalises both ways to be safe
# mistake: the softmax over the rows is taken first, and a second one over the columns of its result
def normalised_heatmap(scores):
    weights = scores.softmax(dim=0)
    weights = weights.softmax(dim=-1)
    return weights
