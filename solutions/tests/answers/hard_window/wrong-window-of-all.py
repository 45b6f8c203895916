# source: a learner who clamps at the padded length
# mistake: the centre stops at the last column, not at the last word
def hard_window(lengths, tgt_len, src_len, half_width):
    j = torch.arange(src_len)
    centre = torch.arange(tgt_len).clamp(max=src_len - 1)
    window = (j[None] - centre[:, None]).abs() <= half_width
    return window[None] & (j < lengths[:, None])[:, None]
