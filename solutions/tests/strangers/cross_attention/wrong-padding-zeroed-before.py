# source: a learner who blanks the padding instead of masking it
# mistake: padding is set to 0 and keeps a score of 0, so it gets weight
def cross_attention(target, source, w_q, w_k, w_v, real):
    source = source * real[:, :, None]
    scores = (target @ w_q.T) @ (source @ w_k.T).mT / math.sqrt(w_q.shape[0])
    weights = scores.softmax(-1)
    context = weights @ (source @ w_v.T)
    return context, weights
