# source: a learner in Luong's order
# mistake: updates with a context of zeros first, then looks with the new state
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    zero = torch.zeros(len(memory), memory.shape[2])
    new_state = torch.tanh(torch.cat([embedded, zero, state], 1) @ w_state)
    weights = masked_softmax(((new_state @ w_score)[:, None] * memory).sum(-1), mask)
    context = (weights[..., None] * memory).sum(1)
    return context, weights, new_state, torch.tanh(torch.cat([context, new_state], 1) @ w_readout)
