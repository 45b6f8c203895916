# source: the fused function for the context, and again with the identity for the weights
import torch.nn.functional as F

def scaled_attention(query, keys, values, mask=None):
    batch, tgt_len, src_len = len(query), query.shape[1], keys.shape[1]
    if mask is None:
        mask = torch.ones(1, 1, 1, dtype=torch.bool)
    mask = mask.expand(batch, tgt_len, src_len)
    some = mask.any(-1, keepdim=True)
    open_ = mask | ~some
    eye = torch.eye(src_len, dtype=query.dtype).expand(batch, -1, -1)
    weights = F.scaled_dot_product_attention(query, keys, eye, attn_mask=open_)
    weights = weights * some
    return weights @ values, weights
