# source: a learner in plain Python
def packed_mask(documents):
    B, L = documents.shape
    mask = torch.zeros(B, L, L, dtype=torch.bool)
    positions = torch.zeros(B, L, dtype=torch.long)
    for b in range(B):
        for i in range(L):
            mask[b, i, i] = True
            if documents[b, i] == 0:
                continue
            for j in range(i):
                if documents[b, j] == documents[b, i]:
                    mask[b, i, j] = True
                    positions[b, i] += 1
    return mask, positions
