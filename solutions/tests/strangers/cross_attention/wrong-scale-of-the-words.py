# source: a learner who takes the width before the projection
# mistake: the scores are divided by the root of dim, not of attention_dim
def cross_attention(target, source, w_q, w_k, w_v, real):
    scores = (target @ w_q.T) @ (source @ w_k.T).mT / math.sqrt(target.shape[-1])
    weights = masked_softmax(scores, real[:, None])
    context = weights @ (source @ w_v.T)
    return context, weights
