# source: a learner with lists of places
def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    rows = [t - 1 for t, word in enumerate(target) if word not in special]
    columns = [s for s, word in enumerate(source) if word not in special]
    trimmed = weights[rows][:, columns]
    links = torch.zeros(len(rows), len(columns), dtype=torch.bool)
    for i in range(len(rows)):
        if columns:
            links[i, trimmed[i].argmax()] = True
    return trimmed, links
