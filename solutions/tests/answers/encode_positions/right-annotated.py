# source: The Annotated Transformer's div_term, for any positions (MIT)
def encode_positions(positions, dim, base):
    pe = torch.zeros(*positions.shape, dim)
    div_term = torch.exp(torch.arange(0, dim, 2) * -(math.log(base) / dim))
    angles = positions.unsqueeze(-1) * div_term
    pe[..., 0::2] = torch.sin(angles)
    pe[..., 1::2] = torch.cos(angles)
    return pe
