# source: a language model that wants rows to sum to 1
# mistake: shares out again after the Gaussian
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    window = (j - centres.round()[..., None]).abs() <= half_width
    weights = masked_softmax(scores, window)
    weights = weights * torch.exp(-((j - centres[..., None]) ** 2) / (2 * (half_width / 2) ** 2))
    return weights / weights.sum(-1, keepdim=True)
