# source: a learner who hides the symptom
# mistake: zeros at padding, and the backward states as wrong as before
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.flip(1), w_backward, bias).flip(1)
    states = torch.cat([forwards, backwards], dim=-1)
    return states.masked_fill(~mask.unsqueeze(-1), 0.0), mask.unsqueeze(1)
