# source: a C programmer who reshapes everything to rows and forgets the last line
# mistake: the weights come back as a matrix of rows, not in the shape of the scores
def softmax_with_temperature(scores, temperature):
    n = scores.shape[-1]
    rows = scores.reshape(-1, n)
    return torch.softmax(rows / temperature, dim=1)
