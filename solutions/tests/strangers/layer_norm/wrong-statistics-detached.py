# source: a learner who takes mean and variance for constants, as in batch norm's evaluation
# mistake: mean and variance are computed under no_grad, so the gradient that reaches x is wrong
def layer_norm(x, gamma, beta):
    with torch.no_grad():
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, unbiased=False)
    return gamma * (x - mean) / torch.sqrt(variance + 1e-5) + beta
