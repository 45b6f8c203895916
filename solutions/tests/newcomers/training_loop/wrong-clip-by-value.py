# source: written from the task's text, 2026-11
# mistake: the gradient is clipped number by number (clip_grad_value_) and not by its norm
import torch
import torch.nn.functional as F
from utils.corpora import PAD

class Tiny(torch.nn.Module):
    """Logits (batch, steps, vocab) from words (batch, steps) and a first state (batch, dim)."""

    def __init__(self, embedding, w_state, w_output):
        super().__init__()
        self.embedding = torch.nn.Parameter(embedding.clone())  # (vocab, dim)
        self.w_state = torch.nn.Parameter(w_state.clone())  # (2 * dim, dim)
        self.w_output = torch.nn.Parameter(w_output.clone())  # (dim, vocab)

    def forward(self, read, state):
        kept = torch.arange(self.embedding.shape[1]) % 2 == 0  # (dim,)
        logits = []
        for word in read.unbind(1):  # (batch,)
            vectors = self.embedding[word]  # (batch, dim)
            vectors = 2 * vectors * kept if self.training else vectors
            state = (torch.cat([vectors, state], dim=-1) @ self.w_state).tanh()
            logits.append(state @ self.w_output)
        return torch.stack(logits, dim=1)

def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    losses, validation = [], []
    for batch, state in zip(targets[:-1], states[:-1]):
        model.train()
        logits = model(batch[:, :-1], state)
        loss = F.cross_entropy(logits.transpose(1, 2), batch[:, 1:], ignore_index=PAD)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
        with torch.no_grad():
            for p in model.parameters():
                p -= rate * p.grad
            model.eval()
            held = model(targets[-1][:, :-1], states[-1])
            validation.append(F.cross_entropy(held.transpose(1, 2), targets[-1][:, 1:], ignore_index=PAD))
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation), model.embedding.detach()
