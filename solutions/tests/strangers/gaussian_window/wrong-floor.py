# source: a C programmer: (int) p
# mistake: the window stands around p rounded down, not around the nearest position
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.size(-1))
    mask = (j - centres.long().unsqueeze(-1)).abs() <= half_width
    gauss = torch.exp(-((j - centres.unsqueeze(-1)) ** 2) / (half_width**2 / 2))
    return masked_softmax(scores, mask) * gauss
