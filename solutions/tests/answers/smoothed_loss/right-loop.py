# source: a learner who goes through the places
def smoothed_loss(logits, labels, smoothing):
    log_p = torch.log_softmax(logits, dim=-1)
    total, count = 0 * logits.sum(), 0
    for b in range(labels.shape[0]):
        for t in range(labels.shape[1]):
            y = labels[b, t].item()
            if y == 0:
                continue
            total = total - (1 - smoothing) * log_p[b, t, y] - smoothing * log_p[b, t].mean()
            count += 1
    return total / max(count, 1)
