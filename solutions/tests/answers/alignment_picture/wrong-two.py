# source: two slips at once
# mistake: <unk> is cut off as well, and rows are shared out again
def alignment_picture(weights, source, target):
    rows = [t - 1 for t, word in enumerate(target) if not word.startswith("<")]
    columns = [s for s, word in enumerate(source) if not word.startswith("<")]
    trimmed = weights[rows][:, columns]
    trimmed = trimmed / trimmed.sum(-1, keepdim=True)
    return trimmed, trimmed == trimmed.amax(-1, keepdim=True)
