# source: written from the task's text, 2026-11
# mistake: the flipped batch is rolled by the longest padding for all sentences alike
import torch

def read(vectors, matrix, bias):
    """States (batch, length, hidden_dim) of vectors (batch, length, embedding_dim)."""
    state = vectors.new_zeros(len(vectors), len(bias))  # (batch, hidden_dim)
    states = []
    for vector in vectors.unbind(1):  # (batch, embedding_dim)
        state = (torch.cat([vector, state], 1) @ matrix + bias).tanh()
        states += [state]
    return torch.stack(states, 1)

def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)
    shift = embedded.shape[1] - int(lengths.min())
    forwards = read(embedded, w_forward, bias)
    turned = embedded.flip(1).roll(-shift, dims=1)
    backwards = read(turned, w_backward, bias).roll(shift, dims=1).flip(1)
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask.unsqueeze(1)
