# source: a learner who makes <eos> free for a finished hypothesis and leaves the other words
# mistake: a finished hypothesis can still go on with other words
def beam_step(scores, log_probs, finished):
    log_probs = log_probs.clone()
    log_probs[finished, EOS] = 0.0
    totals = scores[:, None] + log_probs
    best, flat = totals.flatten().topk(len(scores))
    return best, flat // log_probs.shape[1], flat % log_probs.shape[1]
