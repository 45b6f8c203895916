# source: a learner who treats 0 like any number
# mistake: padding looks at the padding before it, and its places are counted up
def packed_mask(documents):
    n = documents.shape[1]
    mask = (documents[:, :, None] == documents[:, None]) & torch.ones(n, n).tril().bool()
    return mask, mask.sum(-1) - 1
