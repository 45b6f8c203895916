# source: a learner who adds up the loss of each step and divides by the steps
# mistake: each step's mean counts alike, however few sentences are still going on; and a step of padding only gives NaN
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights, loss = [], [], 0
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
        loss = loss + F.cross_entropy(l, target[:, t + 1], ignore_index=PAD)
    return torch.stack(logits, 1), torch.stack(weights, 1), loss / len(logits)
