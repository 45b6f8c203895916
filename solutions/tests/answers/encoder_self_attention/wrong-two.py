# source: two slips at once
# mistake: keys and queries from the same matrix, and lengths count from 0
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    real = torch.arange(x.shape[1]) <= lengths[:, None]
    scores = (x @ w_q) @ (x @ w_q).mT / w_q.shape[1] ** 0.5
    weights = masked_softmax(scores, real[:, None] & real[:, :, None])
    return weights @ (x @ w_v), weights
