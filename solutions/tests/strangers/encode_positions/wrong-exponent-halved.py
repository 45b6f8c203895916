# source: a learner who reads arange(dim / 2) / dim
# mistake: the exponent is i/dim and not 2i/dim
def encode_positions(positions, dim, base):
    i = torch.arange(dim // 2)
    angles = positions.unsqueeze(-1) / base ** (i / dim)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)
