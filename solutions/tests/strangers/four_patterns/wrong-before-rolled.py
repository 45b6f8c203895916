# source: a numpy person with np.roll
# mistake: rolling the identity lets the first word look at the last, not at itself
def four_patterns(length):
    itself = torch.eye(length)
    before = torch.roll(itself, shifts=1, dims=0)
    ends = torch.zeros(length, length)
    ends[:, [0, length - 1]] = 1
    ends = ends / ends.sum(-1, keepdim=True)
    so_far = torch.tril(torch.ones(length, length))
    so_far = so_far / so_far.sum(-1, keepdim=True)
    return itself, before, ends, so_far
