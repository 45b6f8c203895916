# source: a Python person: a list of candidates, sorted
def beam_step(scores, log_probs, finished):
    candidates = []
    for i, score in enumerate(scores.tolist()):
        if finished[i]:
            candidates.append((score, i, EOS))
        else:
            candidates += [(score + p, i, w) for w, p in enumerate(log_probs[i].tolist())]
    candidates.sort(key=lambda c: -c[0])
    best, parents, words = zip(*candidates[: len(scores)])
    return torch.tensor(best), torch.tensor(parents), torch.tensor(words)
