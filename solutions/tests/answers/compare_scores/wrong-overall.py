# source: a learner: .max() without an axis
# mistake: the largest weight of all rows
def compare_scores(query, keys, W, W_joined, v, gains):
    table = torch.zeros(2, len(gains))
    for i, gain in enumerate(gains):
        q = query * gain
        pairs = torch.cat([q[:, :, None].expand(-1, -1, keys.shape[1], -1),
                           keys[:, None].expand(-1, q.shape[1], -1, -1)], -1)
        table[0, i] = (q @ W @ keys.mT).softmax(-1).max()
        table[1, i] = (torch.tanh(pairs @ W_joined.T) @ v).softmax(-1).max()
    return table
