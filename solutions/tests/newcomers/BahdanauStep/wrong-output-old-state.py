# source: written from the task's text, 2026-11
# mistake: the logits are made of the state that came in, not of the new one
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
        scores = self.v(torch.tanh(self.W_query(state)[:, None] + self.W_key(keys))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=-1), state)
        logits = self.output(torch.cat([state, context, embedded], dim=-1))
        return context, weights, new_state, logits
