# source: a learner who divides by a vector and trusts broadcasting
# mistake: so_far is divided by the counts along the columns, so rows do not sum to 1
def four_patterns(length):
    itself = torch.eye(length)
    before = torch.zeros(length, length)
    before[0, 0] = 1.0
    before[1:, :-1] = torch.eye(length - 1)
    ends = torch.zeros(length, length)
    ends[:, 0] = 0.5
    ends[:, -1] = 0.5 if length > 1 else 1.0
    lower = torch.ones(length, length).tril()
    so_far = lower / lower.sum(1)
    return itself, before, ends, so_far
