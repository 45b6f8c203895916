# source: Dive into Deep Learning, softmax from scratch, as it stands there
# mistake: overflows for large scores
def softmax_with_temperature(scores, temperature):
    X_exp = torch.exp(scores / temperature)
    return X_exp / X_exp.sum(-1, keepdim=True)
