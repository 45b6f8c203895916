"""Right answers, written in other ways."""

import torch
from torch import nn


class _CountingLinear(nn.Linear):
    def __init__(self, *widths):
        super().__init__(*widths, bias=False)
        self.count = 0

    def forward(self, vectors):
        self.count += vectors.shape[:-1].numel()
        return super().forward(vectors)


class _StepByStep(nn.Module):
    """As in the notebook."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = _CountingLinear(query_dim, attention_dim)
        self.W_key = _CountingLinear(key_dim, attention_dim)
        self.v = _CountingLinear(attention_dim, 1)

    def forward(self, states, keys):
        memory = self.remember(keys)
        looks = [self.attend(state, memory) for state in states.unbind(1)]
        contexts, weights = (torch.stack(one, dim=1) for one in zip(*looks, strict=True))
        return contexts, weights, torch.tensor(self.W_key.count)


class InADictionary(_StepByStep):
    def remember(self, keys):
        return {"said": self.W_key(keys), "values": keys}

    def attend(self, state, memory):
        hidden = torch.tanh(self.W_query(state[:, None]) + memory["said"])
        weights = self.v(hidden).softmax(dim=1)
        return (weights * memory["values"]).sum(dim=1), weights[..., 0]


class WithEinsum(_StepByStep):
    def remember(self, keys):
        return [keys, self.W_key(keys)]

    def attend(self, state, memory):
        keys, said = memory
        hidden = (torch.einsum("bq,aq->ba", state, self.W_query.weight)[:, None] + said).tanh()
        weights = torch.einsum("bsa,a->bs", hidden, self.v.weight[0]).softmax(-1)
        return [torch.einsum("bs,bsk->bk", weights, keys), weights]


class KeyByKey(_StepByStep):
    def remember(self, keys):
        self.kept = [(self.W_key(key), key) for key in keys.unbind(1)]

    def attend(self, state, memory):
        bar = self.W_query(state)
        scores = torch.cat([self.v((bar + said).tanh()) for said, _ in self.kept], dim=1)
        weights = scores.softmax(-1)
        context = sum(weights[:, [j]] * key for j, (_, key) in enumerate(self.kept))
        return context, weights


class InFloat64(_StepByStep):
    def remember(self, keys):
        return self.W_key(keys).double(), keys.double()

    def attend(self, state, memory):
        said, keys = memory
        hidden = (self.W_query(state).double().unsqueeze(-2) + said).tanh()
        weights = (hidden @ self.v.weight[0].double()).softmax(-1)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights
