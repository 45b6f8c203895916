# source: a language model: one comparison
def combined_mask(lengths, positions, src_len):
    last = torch.minimum(lengths[:, None] - 1, positions[None, :])
    return torch.arange(src_len) <= last[:, :, None]
