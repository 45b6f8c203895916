# source: a learner who takes the readout for logits
# mistake: the tanh of the readout is missing
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = ((state @ w_score)[:, None] * memory).sum(-1)
    weights = masked_softmax(scores, mask)
    context = (weights[..., None] * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], -1) @ w_state)
    readout = torch.cat([context, new_state], -1) @ w_readout
    return context, weights, new_state, readout
