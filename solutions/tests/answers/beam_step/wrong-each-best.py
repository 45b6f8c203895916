# source: a learner who gives each hypothesis its best word
# mistake: each hypothesis is continued once
def beam_step(scores, log_probs, finished):
    stay = torch.full((log_probs.shape[1],), -torch.inf)
    stay[EOS] = 0.0
    total = scores[:, None] + torch.where(finished[:, None], stay, log_probs)
    best, words = total.max(-1)
    best, parents = best.sort(descending=True)
    return best, parents, words[parents]
