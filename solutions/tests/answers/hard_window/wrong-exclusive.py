# source: a learner: < in place of <=
# mistake: the window is one position narrower at each side
def hard_window(lengths, tgt_len, src_len, half_width):
    j = torch.arange(src_len)[None, None, :]
    t = torch.arange(tgt_len)[None, :, None]
    last = (lengths - 1)[:, None, None]
    centre = torch.minimum(t, last)
    return ((j - centre).abs() < half_width) & (j <= last)
