# source: an elegant learner: a word's place is how many it may look at, minus one
def packed_mask(documents):
    length = documents.shape[1]
    same = documents[:, :, None] == documents[:, None, :]
    before = torch.tril(torch.ones(length, length, dtype=torch.bool))
    word = (documents != 0)[:, :, None]
    mask = torch.where(word, same & before, torch.eye(length, dtype=torch.bool))
    return mask, mask.sum(-1) - 1
