# source: a learner who scales by the width of the values
# mistake: the root of value_dim in place of key_dim
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    real = torch.arange(x.shape[1]) < lengths[:, None]
    scores = (x @ w_q) @ (x @ w_k).mT / w_v.shape[1] ** 0.5
    weights = masked_softmax(scores, real[:, None] & real[:, :, None])
    return weights @ (x @ w_v), weights
