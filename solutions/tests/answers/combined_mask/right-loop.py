# source: a learner with loops
def combined_mask(lengths, positions, src_len):
    mask = torch.zeros(len(lengths), len(positions), src_len, dtype=torch.bool)
    for b in range(len(lengths)):
        for t in range(len(positions)):
            end = min(int(lengths[b]), int(positions[t]) + 1)
            mask[b, t, :end] = True
    return mask
