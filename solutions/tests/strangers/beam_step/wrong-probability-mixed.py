# source: a learner who thinks in probabilities and forgets the logarithm on the way back
# mistake: the new scores come back as probabilities
def beam_step(scores, log_probs, finished):
    chances = log_probs.exp()
    chances = torch.where(finished[:, None], F.one_hot(torch.tensor(EOS), log_probs.shape[1]).float(), chances)
    totals = scores.exp()[:, None] * chances
    best, flat = totals.flatten().topk(len(scores))
    return best, flat // log_probs.shape[1], flat % log_probs.shape[1]
