# source: in the manner of tensor2tensor: sines first, cosines behind
# mistake: not interleaved
def encode_positions(positions, dim, base):
    rates = base ** (-torch.arange(0, dim, 2) / dim)
    angles = positions[..., None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
