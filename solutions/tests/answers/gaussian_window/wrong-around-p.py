# source: a learner who takes the window around p itself
# mistake: the window holds the positions at most D from p, 2D of them as a rule
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    away = j - centres[..., None]
    weights = masked_softmax(scores, away.abs() <= half_width)
    return weights * torch.exp(-(away ** 2) / (2 * (half_width / 2) ** 2))
