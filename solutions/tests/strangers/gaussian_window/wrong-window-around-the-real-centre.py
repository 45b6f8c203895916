# source: a learner who leaves out the rounding
# mistake: the window is |j - p| <= D around p itself, which loses a word (and 2D positions are left) where p is no whole number
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.size(-1))
    d = j - centres.unsqueeze(-1)
    weights = masked_softmax(scores, d.abs() <= half_width)
    return weights * torch.exp(-(d**2) / (2 * (half_width / 2) ** 2))
