# source: two slips at once
# mistake: no scale, and the mask is left out
def cross_attention(target, source, w_q, w_k, w_v, real):
    q, k, v = target @ w_q.T, source @ w_k.T, source @ w_v.T
    weights = (q @ k.mT).softmax(-1)
    return weights @ v, weights
