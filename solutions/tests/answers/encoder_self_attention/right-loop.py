# source: a learner who takes each sentence alone
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    batch, length, _ = x.shape
    states = torch.zeros(batch, length, w_v.shape[1])
    weights = torch.zeros(batch, length, length)
    for b in range(batch):
        n = int(lengths[b])
        words = x[b, :n]
        w = ((words @ w_q) @ (words @ w_k).T / w_k.shape[1] ** 0.5).softmax(-1)
        weights[b, :n, :n] = w
        states[b, :n] = w @ (words @ w_v)
    return states, weights
