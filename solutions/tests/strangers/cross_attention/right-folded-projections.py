# source: an algebra person: the two projections become one matrix between the sequences
def cross_attention(target, source, w_q, w_k, w_v, real):
    between = w_q.T @ w_k / math.sqrt(w_q.shape[0])
    scores = torch.einsum("btd,de,bse->bts", target, between, source)
    weights = masked_softmax(scores, real[:, None, :])
    context = (weights @ source) @ w_v.T
    return context, weights
