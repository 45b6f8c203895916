# source: a learner who finds the links before trimming
# mistake: the largest entry of the whole row, which may lie in a column that is cut off
def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    rows = [t - 1 for t, word in enumerate(target) if word not in special]
    columns = [s for s, word in enumerate(source) if word not in special]
    links = weights == weights.max(-1, keepdim=True).values
    return weights[rows][:, columns], links[rows][:, columns]
