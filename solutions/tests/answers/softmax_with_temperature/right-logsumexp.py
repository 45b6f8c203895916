# source: a language model: log space first
def softmax_with_temperature(scores, temperature):
    logits = scores / temperature
    log_weights = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    return log_weights.exp()
