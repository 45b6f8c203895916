# source: a performance-minded person: only the 2D + 1 scores of each window are looked at
def gaussian_window(scores, centres, half_width):
    """Weights (batch, tgt_len, src_len) of local-p."""
    b, t, s = scores.shape
    offsets = torch.arange(-half_width, half_width + 1)
    places = centres.round().long()[..., None] + offsets
    inside = (places >= 0) & (places < s)
    index = places.clamp(0, s - 1)
    window = masked_softmax(scores.gather(2, index), inside)
    sigma = half_width / 2
    gauss = torch.exp(-((places - centres[..., None]) ** 2) / (2 * sigma**2))
    return torch.zeros_like(scores).scatter_add(2, index, window * gauss)
