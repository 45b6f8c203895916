# source: a learner who filters with a boolean index
# mistake: the boolean index throws the rows together, so one number comes back for the whole tensor
def entropy(weights):
    positive = weights[weights > 0]
    return -(positive * positive.log()).sum(-1)
