# source: two slips at once
# mistake: strictly earlier, and rows of padding are closed as well
def combined_mask(lengths, positions, src_len):
    keys = torch.arange(src_len)
    real = keys < lengths[:, None]
    rows = positions[None] < lengths[:, None]
    return real[:, None, :] & (keys < positions[:, None])[None] & rows[:, :, None]
