# source: a learner who continues each hypothesis once
# mistake: each hypothesis keeps its own best word, so a bad one is never pushed out
def beam_step(scores, log_probs, finished):
    step, words = log_probs.max(-1)
    step = torch.where(finished, 0.0, step)
    words = torch.where(finished, EOS, words)
    best, parents = (scores + step).sort(descending=True)
    return best, parents, words[parents]
