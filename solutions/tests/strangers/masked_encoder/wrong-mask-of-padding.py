# source: a Keras person in doubt about what True means
# mistake: the states are right, and the mask that is returned is True for padding
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    place = torch.arange(embedded.shape[1])
    mask = place < lengths.unsqueeze(1)
    turned = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place)
    row = torch.arange(len(embedded)).unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded[row, turned], w_backward, bias)[row, turned]
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, (place >= lengths.unsqueeze(1)).unsqueeze(1)
