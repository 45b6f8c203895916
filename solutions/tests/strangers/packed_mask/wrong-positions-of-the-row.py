# source: a language model that counts the words that are no padding
# mistake: the places run on over the whole row instead of beginning anew with each document
def packed_mask(documents):
    n = documents.shape[1]
    word = documents != 0
    mask = (documents[:, :, None] == documents[:, None]) & torch.ones(n, n).tril().bool()
    mask = (mask & word[:, :, None]) | torch.eye(n, dtype=torch.bool)
    positions = (word.long().cumsum(1) - 1).clamp(min=0) * word
    return mask, positions
