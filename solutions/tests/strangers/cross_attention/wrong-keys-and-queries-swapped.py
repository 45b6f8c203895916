# source: a learner who mixes up who asks
# mistake: w_k projects the target, and w_q the source
def cross_attention(target, source, w_q, w_k, w_v, real):
    scores = (target @ w_k.T) @ (source @ w_q.T).mT / math.sqrt(w_q.shape[0])
    weights = masked_softmax(scores, real[:, None])
    context = weights @ (source @ w_v.T)
    return context, weights
