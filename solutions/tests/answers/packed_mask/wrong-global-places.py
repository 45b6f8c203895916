# source: a learner who counts from the start of the row
# mistake: positions run on over the documents
def packed_mask(documents):
    length = documents.shape[1]
    real = documents != 0
    same = documents[:, :, None] == documents[:, None]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    mask = same & causal & real[:, :, None] | torch.eye(length, dtype=torch.bool)
    return mask, (real.cumsum(1) - 1).clamp(min=0) * real
