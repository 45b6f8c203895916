# source: a learner who divides by the number of pairs
# mistake: the exponent runs twice as fast
def encode_positions(positions, dim, base):
    rates = base ** (-torch.arange(0, dim, 2) / (dim // 2))
    angles = positions[..., None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
