# source: a learner who sets the first row by hand and forgets the rest of it
# mistake: in `before`, the diagonal stays for all words beside the word before
def four_patterns(length):
    itself = torch.eye(length)
    before = torch.eye(length)
    for i in range(1, length):
        before[i, i - 1] = 1
    before = before / before.sum(dim=1, keepdim=True)
    ends = torch.zeros(length, length)
    for i in range(length):
        ends[i, 0] += 0.5
        ends[i, length - 1] += 0.5
    so_far = torch.tril(torch.ones(length, length)) / torch.arange(1, length + 1)[:, None]
    return itself, before, ends, so_far
