# source: a Llama reader
# mistake: the mean is not taken away (RMS norm)
def layer_norm(x, gamma, beta):
    mean_square = x.pow(2).mean(-1, keepdim=True)
    return gamma * x * torch.rsqrt(mean_square + 1e-5) + beta
