# source: two slips at once
# mistake: the context is the mean of the memory, and the mask is not used
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    weights = ((state @ w_score)[:, None] * memory).sum(-1).softmax(-1)
    context = memory.mean(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], 1) @ w_state)
    return context, weights, new_state, torch.tanh(torch.cat([context, new_state], 1) @ w_readout)
