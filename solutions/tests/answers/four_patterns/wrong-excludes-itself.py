# source: a learner who reads "before" into so_far
# mistake: so_far leaves out the word itself, except in the first row
def four_patterns(length):
    eye = torch.eye(length)
    before = torch.cat([eye[:1], eye[:-1]])
    ends = (eye[:1] + eye[-1:]).repeat(length, 1) / 2
    so_far = torch.tril(torch.ones(length, length), -1)
    so_far[0, 0] = 1
    so_far = so_far / so_far.sum(-1, keepdim=True)
    return eye, before, ends, so_far
