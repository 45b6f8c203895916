# source: a numerical person: the Gaussian is added to the log-weights
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1], dtype=scores.dtype)
    nearest = centres.detach().round().clamp(max=scores.shape[-1])
    mask = (j - nearest.unsqueeze(-1)).abs() <= half_width
    weights = masked_softmax(scores, mask)
    exponent = -2 * ((j - centres.unsqueeze(-1)) / half_width) ** 2
    return weights * exponent.exp()
