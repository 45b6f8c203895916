# source: a learner who projects all three and takes the last one's width; and writes causal by habit
# mistake: the scores are divided by the root of value_dim, and a causal mask hides what comes later
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    real = torch.arange(x.shape[1]) < lengths[:, None]
    pairs = (real[:, None] & real[:, :, None]).tril()
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = masked_softmax(q @ k.mT / v.shape[-1] ** 0.5, pairs)
    return weights @ v, weights
