# source: a learner who scales by the width of the words
# mistake: the root of dim in place of attention_dim
def cross_attention(target, source, w_q, w_k, w_v, real):
    q, k, v = target @ w_q.T, source @ w_k.T, source @ w_v.T
    weights = masked_softmax(q @ k.mT / target.shape[-1] ** 0.5, real[:, None])
    return weights @ v, weights
