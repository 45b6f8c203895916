# source: a learner who mixes it up with batch norm
# mistake: mean and variance over the words of the batch
def layer_norm(x, gamma, beta):
    mean = x.mean(dim=(0, 1), keepdim=True)
    var = x.var(dim=(0, 1), keepdim=True, unbiased=False)
    return gamma * (x - mean) / (var + 1e-5).sqrt() + beta
