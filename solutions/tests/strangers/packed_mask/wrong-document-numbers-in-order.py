# source: a learner who believes that documents are numbered 1, 2, 3
# mistake: starts are looked up for the numbers 1, 2, 3 … in order, and the first row's starts serve the whole batch
def packed_mask(documents):
    n = documents.shape[1]
    mask = (documents[:, :, None] == documents[:, None]) & torch.ones(n, n).tril().bool()
    mask &= (documents != 0)[:, :, None]
    mask |= torch.eye(n, dtype=torch.bool)
    _, counts = torch.unique_consecutive(documents[0], return_counts=True)
    positions = torch.cat([torch.arange(int(c)) for c in counts])
    return mask, (positions * (documents != 0)).long()
