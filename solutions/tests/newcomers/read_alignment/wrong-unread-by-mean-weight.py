# source: written from the task's text, 2026-11
# mistake: unread means below the average column weight, not nobody's best
import torch

def read_alignment(weights):
    best = weights.argmax(dim=-1)
    attention_received = weights.sum(dim=0)
    unread = attention_received < attention_received.mean()
    return best, unread
