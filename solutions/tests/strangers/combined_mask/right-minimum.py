# source: a thinker: a key is open if its place is below the smaller of two bounds
def combined_mask(lengths, positions, src_len):
    bound = torch.minimum(lengths[:, None], positions[None, :] + 1)
    return torch.arange(src_len) < bound[..., None]
