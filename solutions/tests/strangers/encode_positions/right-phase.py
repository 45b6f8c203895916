# source: a physicist: a cosine is a sine a quarter of a turn ahead
def encode_positions(positions, dim, base):
    """Codes (..., dim) of positions (...)."""
    column = torch.arange(dim)
    rate = torch.exp(-math.log(base) * (column - column % 2) / dim)
    angles = positions[..., None] * rate
    return torch.where(column % 2 == 0, angles.sin(), angles.cos())
