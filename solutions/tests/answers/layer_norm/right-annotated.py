# source: The Annotated Transformer's LayerNorm, with the biased variance and ε under the root (MIT)
def layer_norm(x, gamma, beta):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, unbiased=False)
    return gamma * (x - mean) / torch.sqrt(var + 1e-5) + beta
