# source: a learner who goes row by row
def masked_softmax(scores, mask):
    mask = mask.broadcast_to(scores.shape)
    flat, allowed = scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, scores.shape[-1])
    rows = []
    for row, keep in zip(flat, allowed):
        out = torch.zeros_like(row)
        if keep.any():
            out = out.masked_scatter(keep, torch.softmax(row[keep], 0))
        rows.append(out)
    return torch.stack(rows).reshape(scores.shape)
