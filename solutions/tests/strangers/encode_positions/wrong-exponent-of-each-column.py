# source: a learner who lets the exponent go on with the column
# mistake: the cosine's exponent is (2i + 1)/dim, so it does not share the sine's frequency
def encode_positions(positions, dim, base):
    column = torch.arange(dim)
    angles = positions.unsqueeze(-1) / base ** (column / dim)
    codes = torch.empty(*positions.shape, dim)
    codes[..., 0::2] = angles[..., 0::2].sin()
    codes[..., 1::2] = angles[..., 1::2].cos()
    return codes
