# source: a learner who masks the columns and then the rows
def encoder_self_attention(x, w_q, w_k, w_v, lengths):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    real = torch.arange(x.size(1))[None] < lengths[:, None]
    scores = torch.bmm(q, k.transpose(1, 2)) / k.size(-1) ** 0.5
    scores = scores.masked_fill(~real[:, None, :], float("-inf"))
    weights = torch.nan_to_num(scores.softmax(-1)) * real[:, :, None]
    return weights @ v, weights
