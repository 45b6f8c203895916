# source: a learner who moves the window back into the sentence
# mistake: near the end the window is shifted to the left to keep its width instead of being cut off
def hard_window(lengths, tgt_len, src_len, half_width):
    source = torch.arange(src_len)
    last = lengths[:, None] - 1 - half_width
    centre = torch.minimum(torch.arange(tgt_len)[None], last.clamp(min=0))
    near = (source - centre[..., None]).abs() <= half_width
    return near & (source < lengths[:, None, None])
