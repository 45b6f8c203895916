# source: a learner who masks keys and no queries
# mistake: rows of padding are not 0
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    real = torch.arange(x.shape[1]) < lengths[:, None]
    scores = (x @ w_q) @ (x @ w_k).mT / w_k.shape[1] ** 0.5
    weights = masked_softmax(scores, real[:, None])
    return weights @ (x @ w_v), weights
