# source: a learner who biases the scores, as in later models
# mistake: the Gaussian's exponent is added to the scores before the softmax, which shares it out anew
def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.size(-1))
    mask = (j - centres.round().unsqueeze(-1)).abs() <= half_width
    bias = -((j - centres.unsqueeze(-1)) ** 2) / (2 * (half_width / 2) ** 2)
    return masked_softmax(scores + bias, mask)
