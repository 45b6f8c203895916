# source: a PyTorch person who found torch.var_mean
def layer_norm(x, gamma, beta):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, gamma, (x - mean) * torch.rsqrt(variance + 1e-5))
