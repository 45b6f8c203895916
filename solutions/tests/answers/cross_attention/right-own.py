# source: a learner who does not take the given masked_softmax
def cross_attention(target, source, w_q, w_k, w_v, real):
    scores = torch.einsum("btd,ad,ae,bse->bts", target, w_q, w_k, source) / w_q.shape[0] ** 0.5
    scores = scores.masked_fill(~real.unsqueeze(1), -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    context = torch.einsum("bts,bse,ve->btv", weights, source, w_v)
    return context, weights
