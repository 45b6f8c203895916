# source: a learner who wants rows that sum to 1
# mistake: the rows are divided by their sum after the Gaussian, which equation 10 does not do
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    mask = (j - centres.round().unsqueeze(-1)).abs() <= half_width
    w = masked_softmax(scores, mask)
    w = w * torch.exp(-((j - centres[..., None]) ** 2) / (2 * (half_width / 2) ** 2))
    return w / w.sum(-1, keepdim=True)
