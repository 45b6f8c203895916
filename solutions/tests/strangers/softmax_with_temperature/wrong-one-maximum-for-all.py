# source: a numpy person, np.max without axis
# mistake: the largest score of the whole tensor is taken away, so rows far below it underflow to 0/0
def softmax_with_temperature(scores, temperature):
    shifted = (scores - scores.max()) / temperature
    exps = shifted.exp()
    return exps / exps.sum(-1, keepdim=True)
