# source: in the manner of Dive into Deep Learning, softmax from scratch, made safe for large scores
def softmax_with_temperature(scores, temperature):
    X = scores / temperature
    X_exp = torch.exp(X - X.max(dim=-1, keepdim=True).values)
    partition = X_exp.sum(-1, keepdim=True)
    return X_exp / partition
