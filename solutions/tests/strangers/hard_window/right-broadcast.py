# source: a JAX person: broadcasted iotas
def hard_window(lengths, tgt_len, src_len, half_width):
    """Mask (batch, tgt_len, src_len) for sources of lengths (batch,), padded to src_len."""
    source = torch.arange(src_len)[None, None, :]
    last = (lengths - 1).clamp(min=0)[:, None, None]
    centre = torch.minimum(torch.arange(tgt_len)[None, :, None], last)
    inside = (source >= centre - half_width) & (source <= centre + half_width)
    return inside & (source < lengths[:, None, None])
