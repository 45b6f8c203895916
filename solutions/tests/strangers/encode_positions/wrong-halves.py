# source: a language model with the other common layout
# mistake: all sines stand first and all cosines behind them, instead of in turn
def encode_positions(positions, dim, base):
    frequencies = base ** (-torch.arange(0, dim, 2) / dim)
    angles = positions.unsqueeze(-1) * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
