# source: written from the task's text, 2026-11
# mistake: each step's loss is averaged over its own real words first, so short sentences' steps weigh unevenly
import torch
import torch.nn.functional as F
from utils.corpora import PAD

def luong_step(word, state, memory, embedding, w_state, w_output):
    """Logits (batch, vocab), weights (batch, src_len), new state, from words (batch,)."""
    state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)  # (batch, state_dim)
    weights = torch.einsum("bd, bsd -> bs", state, memory).softmax(1)  # (batch, src_len)
    context = torch.einsum("bs, bsd -> bd", weights, memory)  # (batch, state_dim)
    return torch.cat((context, state), 1) @ w_output, weights, state

def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights, losses = [], [], []
    for i in range(target.shape[1] - 1):
        step, look, state = luong_step(target[:, i], state, memory, embedding, w_state, w_output)
        logits.append(step)
        weights.append(look)
        if (target[:, i + 1] != PAD).any():
            losses.append(F.cross_entropy(step, target[:, i + 1], ignore_index=PAD))
    return torch.stack(logits, 1), torch.stack(weights, 1), torch.stack(losses).mean()
