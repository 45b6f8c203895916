# source: a Luong person, who updates first with what there is
# mistake: the state is updated with a context of zeros before it asks, and the scores are those of that state
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    nothing = memory.new_zeros(len(memory), memory.shape[2])
    early = torch.tanh(torch.cat([embedded, nothing, state], -1) @ w_state)
    scores = ((early @ w_score)[:, None] * memory).sum(-1)
    weights = masked_softmax(scores, mask)
    context = (weights[..., None] * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], -1) @ w_state)
    readout = torch.tanh(torch.cat([context, new_state], -1) @ w_readout)
    return context, weights, new_state, readout
