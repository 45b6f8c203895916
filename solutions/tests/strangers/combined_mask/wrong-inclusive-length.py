# source: a Fortran programmer, whose places begin at 1
# mistake: the first place of padding counts as a real word
def combined_mask(lengths, positions, src_len):
    j = torch.arange(src_len)
    return (j <= lengths.view(-1, 1, 1)) & (j <= positions.view(1, -1, 1))
