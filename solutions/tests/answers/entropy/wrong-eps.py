# source: a language model: a small number against the logarithm of 0
# mistake: the small number is so large that it shows
def entropy(weights):
    return -(weights * torch.log(weights + 1e-2)).sum(dim=-1)
