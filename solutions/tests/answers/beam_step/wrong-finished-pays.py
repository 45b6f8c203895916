# source: a learner who lets a finished hypothesis go on as any other
# mistake: finished hypotheses are not held back to EOS
def beam_step(scores, log_probs, finished):
    total = scores[:, None] + log_probs
    best, where = total.flatten().topk(len(scores))
    return best, where // log_probs.shape[1], where % log_probs.shape[1]
