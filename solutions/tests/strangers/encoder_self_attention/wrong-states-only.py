# source: a learner who blanks the output at the end
# mistake: the states of padding are 0, but not their rows of weights
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    real = torch.arange(x.shape[1]) < lengths[:, None]
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.shape[1] ** 0.5
    weights = masked_softmax(scores, real[:, None, :])
    states = (weights @ (x @ w_v)) * real[:, :, None]
    return states, weights
