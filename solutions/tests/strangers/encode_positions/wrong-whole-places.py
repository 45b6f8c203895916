# source: a C programmer: a table that is looked up
# mistake: the places are cut to whole numbers for the look-up, so place 2.5 gets the code of place 2
def encode_positions(positions, dim, base):
    longest = int(positions.max()) + 1
    angles = torch.arange(longest)[:, None] / base ** (torch.arange(0, dim, 2) / dim)
    table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return table[positions.long()]
