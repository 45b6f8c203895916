# source: a C programmer: each sentence is cut to its words, and the result put into zeros
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    """States (batch, len, value_dim) and weights (batch, len, len)."""
    size = x.shape[1]
    states, weights = [], []
    for sentence, n in zip(x, lengths.tolist()):
        own = sentence[:n]
        w = torch.softmax((own @ w_q) @ (own @ w_k).T * w_q.shape[1] ** -0.5, dim=-1)
        s = w @ (own @ w_v)
        states.append(nn.functional.pad(s, (0, 0, 0, size - n)))
        weights.append(nn.functional.pad(w, (0, size - n, 0, size - n)))
    return torch.stack(states), torch.stack(weights)
