# source: a learner who fills the cells one by one
def four_patterns(length):
    itself = torch.zeros(length, length)
    before = torch.zeros(length, length)
    ends = torch.zeros(length, length)
    so_far = torch.zeros(length, length)
    for i in range(length):
        itself[i, i] = 1
        before[i, max(i - 1, 0)] = 1
        ends[i, 0] += 0.5
        ends[i, length - 1] += 0.5
        for j in range(i + 1):
            so_far[i, j] = 1 / (i + 1)
    return itself, before, ends, so_far
