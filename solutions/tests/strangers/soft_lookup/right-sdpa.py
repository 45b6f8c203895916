# source: a practitioner who knows PyTorch's fused function and its scale argument
import torch.nn.functional as F
def soft_lookup(query, keys, values):
    eye = torch.eye(keys.shape[0], dtype=query.dtype)
    weights = F.scaled_dot_product_attention(query[None], keys[None], eye[None], scale=1.0)[0]
    return weights @ values, weights
