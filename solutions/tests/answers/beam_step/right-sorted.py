# source: a learner with a list and sorted
def beam_step(scores, log_probs, finished):
    candidates = []
    for i in range(len(scores)):
        if finished[i]:
            candidates.append((scores[i].item(), i, EOS))
            continue
        for w in range(log_probs.shape[1]):
            candidates.append(((scores[i] + log_probs[i, w]).item(), i, w))
    candidates.sort(key=lambda c: -c[0])
    best, parents, words = zip(*candidates[: len(scores)])
    return torch.tensor(best), torch.tensor(parents), torch.tensor(words)
