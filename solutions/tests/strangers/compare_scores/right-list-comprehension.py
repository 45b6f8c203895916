# source: a Python person: one number after the other
def compare_scores(query, keys, W, W_joined, v, gains):
    def mean_largest(scores):
        return torch.max(torch.softmax(scores, dim=2), dim=2)[0].mean().item()

    def concat(q):
        a = q.unsqueeze(2).repeat(1, 1, keys.shape[1], 1)
        b = keys.unsqueeze(1).repeat(1, q.shape[1], 1, 1)
        return torch.tanh(torch.cat((a, b), 3) @ W_joined.T) @ v

    gains = gains.tolist()
    first = [mean_largest(g * query @ W @ keys.mT) for g in gains]
    second = [mean_largest(concat(g * query)) for g in gains]
    return torch.tensor([first, second])
