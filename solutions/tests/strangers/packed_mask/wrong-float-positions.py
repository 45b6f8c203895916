# source: a learner whose places come from a division
# mistake: a row's padding row is empty (it does not look at itself), and the places are fractions of the document's length
def packed_mask(documents):
    n = documents.shape[1]
    word = documents != 0
    same = (documents[:, :, None] == documents[:, None]) & word[:, :, None]
    mask = same & torch.ones(n, n).tril().bool()
    positions = (mask.sum(-1) - 1).clamp(min=0) / same.sum(-1).clamp(min=1)
    return mask, positions
