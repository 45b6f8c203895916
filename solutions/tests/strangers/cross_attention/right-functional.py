# source: a PyTorch person: F.linear
import torch.nn.functional as F
def cross_attention(target, source, w_q, w_k, w_v, real):
    """Context (batch, tgt_len, value_dim) and weights (batch, tgt_len, src_len)."""
    q, k, v = F.linear(target, w_q), F.linear(source, w_k), F.linear(source, w_v)
    scores = (q.unsqueeze(2) * k.unsqueeze(1)).sum(-1).div(q.size(-1) ** 0.5)
    weights = masked_softmax(scores, real.unsqueeze(-2))
    context = torch.bmm(weights, v)
    return context, weights
