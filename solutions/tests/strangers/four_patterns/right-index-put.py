# source: a numpy person with fancy indexing
def four_patterns(length):
    i = torch.arange(length)
    itself = torch.zeros(length, length)
    itself[i, i] = 1
    before = torch.zeros(length, length)
    before[i, (i - 1).clamp(min=0)] = 1
    ends = torch.zeros(length, length)
    ends[:, 0] += 0.5
    ends[:, -1] += 0.5
    so_far = (i[None, :] <= i[:, None]) / (i[:, None] + 1)
    return itself, before, ends, so_far
