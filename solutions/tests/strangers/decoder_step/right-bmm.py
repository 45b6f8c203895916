# source: the PyTorch seq2seq tutorial's habits: unsqueeze, bmm, squeeze
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    """Context, weights, the new state and the readout, in this order."""
    query = torch.mm(state, w_score).unsqueeze(2)
    weights = masked_softmax(torch.bmm(memory, query).squeeze(2), mask)
    context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
    new_state = torch.mm(torch.cat((embedded, context, state), dim=1), w_state).tanh()
    readout = torch.mm(torch.cat((context, new_state), dim=1), w_readout).tanh()
    return context, weights, new_state, readout
