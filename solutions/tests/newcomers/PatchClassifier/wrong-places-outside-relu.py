# source: written from the task's text, 2026-11
# mistake: the places are added behind the ReLU
import torch
from torch import nn

class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        p = self.patch
        patches = images.unfold(1, p, p).unfold(2, p, p).flatten(3).flatten(1, 2)
        states = self.embed(patches).relu() + self.places
        weights = torch.softmax(states @ self.query / self.query.numel() ** 0.5, dim=-1)
        return self.answer((weights.unsqueeze(-1) * states).sum(1)), weights
