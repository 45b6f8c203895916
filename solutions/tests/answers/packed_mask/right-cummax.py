# source: a language model: starts of documents by cummax
def packed_mask(documents):
    batch, length = documents.shape
    place = torch.arange(length)
    same = documents.unsqueeze(2) == documents.unsqueeze(1)
    mask = same & torch.ones(length, length, dtype=torch.bool).tril()
    mask = mask & (documents != 0).unsqueeze(2) | torch.eye(length, dtype=torch.bool)
    starts = torch.ones_like(documents, dtype=torch.bool)
    starts[:, 1:] = documents[:, 1:] != documents[:, :-1]
    begin = torch.where(starts, place, 0).cummax(1).values
    positions = torch.where(documents == 0, 0, place - begin)
    return mask, positions
