# source: a learner who takes row i for target[i]
# mistake: the row of target[i] is taken to be weights[i], so all rows stand one late
def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    rows = [i for i, w in enumerate(target) if w not in special and i < len(weights)]
    columns = [j for j, w in enumerate(source) if w not in special]
    trimmed = weights[rows][:, columns]
    return trimmed, F.one_hot(trimmed.argmax(-1), len(columns)).bool()
