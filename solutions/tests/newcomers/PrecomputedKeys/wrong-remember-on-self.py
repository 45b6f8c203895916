# source: written from the task's text, 2026-11
# mistake: the first sentence's projection is kept on the module and used again for every later batch
import torch
from torch import nn

class CountingLinear(nn.Linear):
    """A linear layer without bias that counts the vectors that it has multiplied."""

    def __init__(self, *widths):
        super().__init__(*widths, bias=False)
        self.count = 0

    def forward(self, vectors):
        self.count += vectors.shape[:-1].numel()
        return super().forward(vectors)


class StepByStep(nn.Module):
    """Asks once for each state: states (batch, tgt_len, query_dim), keys (batch, src_len, …)."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = CountingLinear(query_dim, attention_dim)
        self.W_key = CountingLinear(key_dim, attention_dim)
        self.v = CountingLinear(attention_dim, 1)

    def forward(self, states, keys, earlier=None):
        if earlier is not None:  # a batch that came before
            self.remember(earlier)
        memory = self.remember(keys)
        looks = [self.attend(state, memory) for state in states.unbind(1)]
        if None in looks:  # still to be written
            return None
        contexts, weights = (torch.stack(one, dim=1) for one in zip(*looks, strict=True))
        return contexts, weights, torch.tensor(self.W_key.count)


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        if not hasattr(self, "projected"):
            self.projected = self.W_key(keys)
        return keys, self.projected

    def attend(self, state, memory):
        keys, projected = memory
        hidden = torch.tanh(self.W_query(state).unsqueeze(1) + projected)
        weights = self.v(hidden).squeeze(-1).softmax(-1)
        context = torch.einsum("bs,bsd->bd", weights, keys)
        return context, weights
