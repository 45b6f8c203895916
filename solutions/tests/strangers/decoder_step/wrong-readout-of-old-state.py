# source: a learner with two states and one name
# mistake: the readout reads the state that came in
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = ((state @ w_score)[:, None] * memory).sum(-1)
    weights = masked_softmax(scores, mask)
    context = (weights[..., None] * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], -1) @ w_state)
    readout = torch.tanh(torch.cat([context, state], -1) @ w_readout)
    return context, weights, new_state, readout
