# source: a learner who takes the words as they come
# mistake: queries and keys change places
def cross_attention(target, source, w_q, w_k, w_v, real):
    q, k, v = target @ w_k.T, source @ w_q.T, source @ w_v.T
    weights = masked_softmax(q @ k.mT / q.shape[-1] ** 0.5, real[:, None])
    return weights @ v, weights
