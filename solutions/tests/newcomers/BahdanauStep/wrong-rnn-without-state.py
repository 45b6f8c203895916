# source: written from the task's text, 2026-11
# mistake: the GRU cell is called without the state before, so it starts from zeros
import torch
from torch import nn
from utils.masks import masked_softmax

class BahdanauLayers(nn.Module):
    def __init__(self, embedding_dim, state_dim, key_dim, attention_dim, vocabulary):
        super().__init__()
        self.W_query = nn.Linear(state_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.rnn = nn.GRUCell(embedding_dim + key_dim, state_dim)
        self.output = nn.Linear(state_dim + key_dim + embedding_dim, vocabulary)


class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        hidden = self.W_query(state).unsqueeze(1) + self.W_key(keys)
        scores = self.v(hidden.tanh())[:, :, 0]
        weights = masked_softmax(scores, mask)
        context = (weights.unsqueeze(-1) * keys).sum(dim=1)
        new_state = self.rnn(torch.cat((embedded, context), 1))
        logits = self.output(torch.cat((new_state, context, embedded), 1))
        return context, weights, new_state, logits
