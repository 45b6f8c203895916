# source: a language model: one topk over all continuations
def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    stay = torch.full((vocab,), -torch.inf)
    stay[EOS] = 0.0
    total = scores[:, None] + torch.where(finished[:, None], stay, log_probs)
    best, where = total.flatten().topk(beam)
    return best, where // vocab, where % vocab
