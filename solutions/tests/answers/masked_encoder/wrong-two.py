# source: two slips at once
# mistake: the backward states are not turned back, and the mask keeps the shape (batch, src_len)
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)
    place = torch.arange(embedded.shape[1])
    index = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place).unsqueeze(-1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.gather(1, index.expand_as(embedded)), w_backward, bias)
    return torch.cat([forwards, backwards], -1) * mask.unsqueeze(-1), mask
