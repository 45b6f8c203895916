# source: a language model: the fused function of PyTorch, without its scale
import torch.nn.functional as F

def soft_lookup(query, keys, values):
    context = F.scaled_dot_product_attention(query[None], keys[None], values[None], scale=1.0)[0]
    weights = F.softmax(torch.einsum("td,sd->ts", query, keys), dim=1)
    return context, weights
