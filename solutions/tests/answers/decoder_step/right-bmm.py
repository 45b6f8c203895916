# source: in the manner of the PyTorch seq2seq tutorials
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    energies = torch.bmm(memory, (state @ w_score).unsqueeze(2)).squeeze(2)
    weights = masked_softmax(energies, mask)
    context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
    new_state = torch.tanh(torch.cat((embedded, context, state), dim=1).mm(w_state))
    readout = torch.tanh(torch.cat((context, new_state), dim=1).mm(w_readout))
    return context, weights, new_state, readout
