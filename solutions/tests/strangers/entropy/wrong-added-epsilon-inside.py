# source: Keras habits, K.epsilon() everywhere
# mistake: 0.001 is added to every weight, which moves every entropy visibly
def entropy(weights):
    eps = 1e-3
    return -((weights + eps) * torch.log(weights + eps)).sum(dim=-1)
