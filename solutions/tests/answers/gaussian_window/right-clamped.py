# source: a careful reader: the nearest of the positions that there are
def gaussian_window(scores, centres, half_width):
    src_len = scores.shape[-1]
    j = torch.arange(src_len)
    nearest = centres.detach().round().clamp(0, src_len - 1).unsqueeze(-1)
    window = (j - nearest).abs() <= half_width
    weights = masked_softmax(scores, window)
    sigma = half_width / 2
    return weights * torch.exp(-((j - centres.unsqueeze(-1)) ** 2) / (2 * sigma ** 2))
