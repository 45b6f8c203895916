# source: two slips at once
# mistake: the base is fixed at 10000, and sine and cosine change places
def encode_positions(positions, dim, base):
    rates = 10000 ** (-torch.arange(0, dim, 2) / dim)
    angles = positions[..., None] * rates
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(-2)
