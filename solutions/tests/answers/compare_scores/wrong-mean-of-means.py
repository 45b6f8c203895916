# source: a learner who takes the largest of the mean
# mistake: the mean over the rows comes before the largest
def compare_scores(query, keys, W, W_joined, v, gains):
    table = []
    for gain in gains:
        q = query * gain
        pairs = torch.cat([q[:, :, None].expand(-1, -1, keys.shape[1], -1),
                           keys[:, None].expand(-1, q.shape[1], -1, -1)], -1)
        scores = torch.stack([q @ W @ keys.mT, torch.tanh(pairs @ W_joined.T) @ v])
        table.append(scores.softmax(-1).mean(2).amax(-1).mean(-1))
    return torch.stack(table, dim=1)
