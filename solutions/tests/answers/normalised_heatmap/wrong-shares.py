# source: a learner who thinks that normalising is enough
# mistake: no exponential at all
def normalised_heatmap(scores):
    weights = scores - scores.min(dim=-1, keepdim=True).values
    return weights / weights.sum(dim=-1, keepdim=True)
