# source: a learner who takes padding for a document
# mistake: padding looks at the padding before it, and is counted
def packed_mask(documents):
    length = documents.shape[1]
    same = documents[:, :, None] == documents[:, None]
    mask = same & torch.ones(length, length, dtype=torch.bool).tril()
    return mask, mask.sum(-1) - 1
