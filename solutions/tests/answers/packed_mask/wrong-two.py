# source: two slips at once
# mistake: not causal, and padding has an empty row
def packed_mask(documents):
    real = documents != 0
    same = (documents[:, :, None] == documents[:, None]) & real[:, :, None]
    positions = (same.tril().sum(-1) - 1).clamp(min=0)
    return same, positions
