# source: written from the task's text, 2026-11
# mistake: the temperature is applied to the finished weights as a power of tau, not of 1/tau
import torch

def softmax_with_temperature(scores, temperature):
    probs = torch.softmax(scores, dim=-1)
    probs = probs ** temperature
    return probs / probs.sum(dim=-1, keepdim=True)
