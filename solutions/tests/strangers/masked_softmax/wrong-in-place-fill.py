# source: a learner who saves memory
# mistake: the caller's scores are overwritten by the fill in place
def masked_softmax(scores, mask):
    with torch.no_grad():
        scores.masked_fill_(~mask, -1e30)
    return scores.softmax(-1) * mask
