# source: a C programmer, whose division is that of whole numbers
# mistake: the matrices hold whole numbers and // rounds the shares down to 0
def four_patterns(length):
    itself = torch.eye(length, dtype=torch.long)
    before = torch.zeros(length, length, dtype=torch.long)
    for i in range(length):
        before[i, max(i - 1, 0)] = 1
    ends = torch.zeros(length, length, dtype=torch.long)
    ends[:, 0] += 1
    ends[:, -1] += 1
    so_far = torch.tril(torch.ones(length, length, dtype=torch.long))
    return itself, before, ends // 2, so_far // so_far.sum(-1, keepdim=True)
