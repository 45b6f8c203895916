# source: a Python person: lists of places, then np.ix_-like indexing
def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    columns = [j for j, word in enumerate(source) if word not in special]
    rows = [i for i, word in enumerate(target[1:]) if word not in special]
    trimmed = weights[torch.tensor(rows, dtype=torch.long)][:, torch.tensor(columns, dtype=torch.long)]
    links = torch.zeros_like(trimmed, dtype=torch.bool)
    links[torch.arange(len(rows)), trimmed.argmax(dim=1)] = True
    return trimmed, links
