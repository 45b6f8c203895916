# source: a signal-processing person: a complex wave, seen as pairs of numbers
def encode_positions(positions, dim, base):
    i = torch.arange(0, dim, 2, dtype=torch.float64)
    angles = positions.double().unsqueeze(-1) / base ** (i / dim)
    wave = torch.polar(torch.ones_like(angles), angles)  # cos + i sin
    return torch.view_as_real(wave).flip(-1).flatten(-2).float()
