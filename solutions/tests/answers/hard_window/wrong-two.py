# source: two slips at once
# mistake: looks back only, and the padding counts one word too many
def hard_window(lengths, tgt_len, src_len, half_width):
    j = torch.arange(src_len)[None, None, :]
    centre = torch.minimum(torch.arange(tgt_len)[None, :, None], (lengths - 1)[:, None, None])
    return (j <= centre) & (j >= centre - half_width) & (j <= lengths[:, None, None])
