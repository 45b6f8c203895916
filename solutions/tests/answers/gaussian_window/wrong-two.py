# source: two slips at once
# mistake: sigma = D, and the Gaussian stands around the rounded position
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    away = j - centres.round()[..., None]
    weights = masked_softmax(scores, away.abs() <= half_width)
    return weights * torch.exp(-(away ** 2) / (2 * half_width ** 2))
