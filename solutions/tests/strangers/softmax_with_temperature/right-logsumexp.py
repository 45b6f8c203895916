# source: a JAX person (jax.nn.log_softmax by hand)
def softmax_with_temperature(scores, temperature):
    logits = torch.true_divide(scores, temperature)
    return torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))
