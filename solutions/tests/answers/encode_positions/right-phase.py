# source: a language model: the cosine as a shifted sine
def encode_positions(positions, dim, base):
    i = torch.arange(dim, dtype=torch.float64)
    rates = base ** (-(i - i % 2) / dim)
    return torch.sin(positions.double()[..., None] * rates + (i % 2) * math.pi / 2).float()
