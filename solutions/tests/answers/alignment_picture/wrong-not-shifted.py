# source: a learner who cuts the last row in place of shifting
# mistake: rows are those of the words read, one step late
def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    rows = [t for t, word in enumerate(target[:-1]) if word not in special]
    columns = [s for s, word in enumerate(source) if word not in special]
    trimmed = weights[rows][:, columns]
    return trimmed, trimmed == trimmed.amax(-1, keepdim=True)
