# source: written from the task's text, 2026-11
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
    place = torch.arange(embedded.shape[1]).expand(len(embedded), -1)
    mask = place < lengths.unsqueeze(1)
    turn = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place)
    rows = torch.arange(len(embedded)).unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded[rows, turn], w_backward, bias)[rows, turn]
    states = torch.cat([forwards, backwards], dim=-1)
    return torch.where(mask.unsqueeze(-1), states, 0.0), mask.unsqueeze(1)
