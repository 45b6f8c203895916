# source: a learner who masks the words that look and trusts the zeros of padding
# mistake: padding is still looked at, as only the rows are masked
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    real = torch.arange(x.shape[1]) < lengths[:, None]
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.shape[1] ** 0.5
    weights = masked_softmax(scores, real[:, :, None])
    return weights @ (x @ w_v), weights
