# source: in the manner of Dive into Deep Learning's decomposable attention, with masks (code: MIT-0)
def both_ways(left, right, left_mask, right_mask):
    e = torch.bmm(left, right.permute(0, 2, 1)) / left.shape[-1] ** 0.5
    forth = masked_softmax(e, right_mask.unsqueeze(1))
    back = masked_softmax(e.permute(0, 2, 1), left_mask.unsqueeze(1))
    beta = torch.bmm(forth, right)
    alpha = torch.bmm(back, left)
    return beta, alpha, forth, back
