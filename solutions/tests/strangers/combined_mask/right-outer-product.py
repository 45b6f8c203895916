# source: a linear-algebra person: an outer product of booleans
def combined_mask(lengths, positions, src_len):
    """Booleans (batch, tgt_len, src_len), True = may be attended to."""
    place = torch.arange(src_len)
    real = torch.lt(place, lengths.unsqueeze(-1)).float()
    not_later = torch.ge(positions.unsqueeze(-1), place).float()
    return torch.einsum("bs,ts->bts", real, not_later).bool()
