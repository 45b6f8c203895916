# source: a C programmer
def packed_mask(documents):
    batch, length = documents.shape
    mask = torch.zeros(batch, length, length, dtype=torch.bool)
    positions = torch.zeros(batch, length, dtype=torch.long)
    for b, row in enumerate(documents.tolist()):
        start = 0
        for i, name in enumerate(row):
            if i and name != row[i - 1]:
                start = i
            if name == 0:
                mask[b, i, i] = True
            else:
                mask[b, i, start : i + 1] = True
                positions[b, i] = i - start
    return mask, positions
