# source: a learner with three loops
def hard_window(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = min(t, length - 1)
            for j in range(length):
                mask[b, t, j] = centre - half_width <= j <= centre + half_width
    return mask
