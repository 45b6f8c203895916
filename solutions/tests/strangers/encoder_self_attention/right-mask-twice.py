# source: a learner with one mask of real pairs
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    real = torch.arange(x.shape[1])[None] < lengths[:, None]
    pairs = real.unsqueeze(1) & real.unsqueeze(2)
    scores = torch.einsum("bld,dk,ek,bme->blm", x, w_q, w_k, x) / w_k.shape[1] ** 0.5
    weights = masked_softmax(scores, pairs)
    return torch.einsum("blm,bmd,dv->blv", weights, x, w_v), weights
