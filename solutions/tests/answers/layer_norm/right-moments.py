# source: a language model: mean of the squares less the square of the mean, in float64
def layer_norm(x, gamma, beta):
    y = x.double()
    y = y - y.mean(dim=2, keepdim=True)
    y = y * (y.square().mean(dim=2, keepdim=True) + 1e-5).rsqrt()
    return (y * gamma + beta).to(x.dtype)
