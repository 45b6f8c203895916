# source: The Annotated Transformer, which adds eps to the deviation
# mistake: ε is added to the deviation and not to the variance below the root
def layer_norm(x, gamma, beta):
    mean = x.mean(-1, keepdim=True)
    std = (x - mean).pow(2).mean(-1, keepdim=True).sqrt()
    return gamma * (x - mean) / (std + 1e-5) + beta
