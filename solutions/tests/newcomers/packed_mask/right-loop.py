# source: written from the task's text, 2026-11
import torch

def packed_mask(documents):
    batch, length = documents.shape
    mask = torch.zeros(batch, length, length, dtype=torch.bool)
    positions = torch.zeros(batch, length, dtype=torch.long)
    for b in range(batch):
        start = 0
        for i in range(length):
            d = documents[b, i].item()
            if d == 0:
                mask[b, i, i] = True
                continue
            if i == 0 or documents[b, i - 1].item() != d:
                start = i
            mask[b, i, start:i + 1] = True
            positions[b, i] = i - start
    return mask, positions
