# source: a learner who sets the padding to zero before reading
# mistake: the bias still moves the state while it reads zeros
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)
    embedded = embedded * mask.unsqueeze(-1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.flip(1), w_backward, bias).flip(1)
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask.unsqueeze(1)
