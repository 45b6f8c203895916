# source: a learner: rolls the identity
# mistake: the first word looks at the last one
def four_patterns(length):
    itself = torch.eye(length)
    before = torch.roll(itself, -1, dims=1)
    ends = torch.zeros(length, length)
    ends[:, [0, -1]] = 0.5 if length > 1 else 1.0
    so_far = torch.tril(torch.ones(length, length)) / torch.arange(1, length + 1)[:, None]
    return itself, before, ends, so_far
