# source: a learner who reverses each sentence and forgets the way back
# mistake: the backward states stay in the reversed order
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    place = torch.arange(embedded.shape[1])
    mask = place < lengths.unsqueeze(1)
    turned = (lengths.unsqueeze(1) - 1 - place) % embedded.shape[1]
    index = turned.unsqueeze(-1).expand_as(embedded)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.gather(1, index), w_backward, bias)
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask.unsqueeze(1)
