# source: a C programmer: a lower and an upper bound for each row
def hard_window(lengths, tgt_len, src_len, half_width):
    b = len(lengths)
    allowed = torch.zeros(b, tgt_len, src_len, dtype=torch.bool)
    for i, n in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = min(t, n - 1)
            allowed[i, t, max(centre - half_width, 0) : max(min(centre + half_width + 1, n), 0)] = True
    return allowed
