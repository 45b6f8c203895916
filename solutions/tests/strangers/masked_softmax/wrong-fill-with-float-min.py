# source: a learner who confuses the smallest float with the lowest
# mistake: hidden scores are set to the smallest positive number (about 0), not to the lowest, so they take part in the sum
def masked_softmax(scores, mask):
    tiny = torch.finfo(scores.dtype).tiny
    weights = torch.softmax(torch.where(mask, scores, tiny), dim=-1)
    return torch.where(mask, weights, 0.0)
