# source: written from the task's text, 2026-11
# mistake: the masked cells get the smallest score of the tensor instead of the lowest number, and are zeroed afterwards without sharing out again
import torch

def masked_softmax(scores, mask):
    filled = torch.where(mask, scores, scores.min())
    weights = torch.softmax(filled, dim=-1)
    return weights * mask
