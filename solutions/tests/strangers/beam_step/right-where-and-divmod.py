# source: a PyTorch person: torch.where, topk on the flat table, unravel_index
def beam_step(scores, log_probs, finished):
    """Scores, parents and words of the best `beam` continuations."""
    stay = torch.full_like(log_probs, -torch.inf)
    stay[:, EOS] = 0
    totals = scores[:, None] + torch.where(finished[:, None], stay, log_probs)
    best, flat = totals.flatten().sort(descending=True)
    parents, words = torch.unravel_index(flat[: len(scores)], totals.shape)
    return best[: len(scores)], parents, words
