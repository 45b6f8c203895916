# source: a learner whose mask goes along the rows
# mistake: the mask is laid over the target words, so it raises where the lengths differ and hides rows where they agree
def cross_attention(target, source, w_q, w_k, w_v, real):
    scores = (target @ w_q.T) @ (source @ w_k.T).mT / math.sqrt(w_q.shape[0])
    weights = masked_softmax(scores, real[:, :, None])
    context = weights @ (source @ w_v.T)
    return context, weights
