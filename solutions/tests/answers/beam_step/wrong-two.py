# source: two slips at once
# mistake: parents and words change places, and the score so far is forgotten
def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    stay = torch.full((vocab,), -torch.inf)
    stay[EOS] = 0.0
    total = torch.where(finished[:, None], stay, log_probs)
    best, where = total.flatten().topk(beam)
    return best, where % vocab, where // vocab
