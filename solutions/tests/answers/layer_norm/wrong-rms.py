# source: a learner who knows newer models
# mistake: RMS norm: the mean is not taken out
def layer_norm(x, gamma, beta):
    return gamma * x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() + beta
