# source: a learner who divides the flat index by the wrong width
# mistake: parent and word are taken from the flat index by the size of the beam, not of the vocabulary
def beam_step(scores, log_probs, finished):
    beam = len(scores)
    stay = torch.full_like(log_probs, -1e9)
    stay[:, EOS] = 0
    totals = scores[:, None] + torch.where(finished[:, None], stay, log_probs)
    best, flat = totals.view(-1).topk(beam)
    return best, flat // beam, flat % beam
