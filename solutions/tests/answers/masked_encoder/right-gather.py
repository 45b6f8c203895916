# source: a language model: turns each sentence by an index
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    place = torch.arange(embedded.shape[1])
    mask = place < lengths.unsqueeze(1)
    turned = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place)
    index = turned.unsqueeze(-1)
    forwards = read(embedded, w_forward, bias)
    reverse = embedded.gather(1, index.expand_as(embedded))
    backwards = read(reverse, w_backward, bias)
    backwards = backwards.gather(1, index.expand_as(backwards))
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask.unsqueeze(1)
