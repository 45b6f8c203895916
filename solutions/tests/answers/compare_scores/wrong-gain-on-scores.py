# source: a learner who multiplies the scores
# mistake: the gain is put on the scores of concat, not on the query
def compare_scores(query, keys, W, W_joined, v, gains):
    pairs = torch.cat([query[:, :, None].expand(-1, -1, keys.shape[1], -1),
                       keys[:, None].expand(-1, query.shape[1], -1, -1)], -1)
    scores = query @ W @ keys.mT, torch.tanh(pairs @ W_joined.T) @ v
    return torch.stack([torch.stack([(s * g).softmax(-1).amax(-1).mean() for g in gains]) for s in scores])
