# source: a learner who divides along the wrong axis
# mistake: so_far is divided by column, so that rows do not sum to 1
def four_patterns(length):
    itself = torch.eye(length)
    before = torch.cat([itself[:1], itself[:-1]])
    ends = (itself[:1] + itself[-1:]).repeat(length, 1) / 2
    so_far = torch.tril(torch.ones(length, length))
    so_far = so_far / torch.arange(1, length + 1)
    return itself, before, ends, so_far
