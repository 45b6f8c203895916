# source: a learner who reads out the old state
# mistake: the readout reads s_{t-1}
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    weights = masked_softmax(((state @ w_score)[:, None] * memory).sum(-1), mask)
    context = (weights[..., None] * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], 1) @ w_state)
    return context, weights, new_state, torch.tanh(torch.cat([context, state], 1) @ w_readout)
