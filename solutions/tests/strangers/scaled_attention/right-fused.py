# source: a practitioner: PyTorch's fused function, called with the identity to get the weights
import torch.nn.functional as F
def scaled_attention(query, keys, values, mask=None):
    eye = torch.eye(keys.shape[1], dtype=query.dtype).expand(len(keys), -1, -1)
    if mask is None:
        weights = F.scaled_dot_product_attention(query, keys, eye)
    else:
        shape = (len(query), query.shape[1], keys.shape[1])
        mask = mask.expand(shape)
        empty = ~mask.any(-1, keepdim=True)
        weights = F.scaled_dot_product_attention(query, keys, eye, attn_mask=mask | empty)
        weights = weights.masked_fill(empty, 0.0)
    return weights @ values, weights
