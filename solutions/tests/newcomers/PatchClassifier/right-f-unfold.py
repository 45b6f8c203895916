# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F
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
        cols = F.unfold(images.unsqueeze(1), kernel_size=self.patch, stride=self.patch)
        states = F.relu(self.embed(cols.transpose(1, 2)) + self.places)
        weights = F.softmax(torch.matmul(states, self.query) * self.query.size(0) ** -0.5, dim=1)
        read = torch.bmm(weights.unsqueeze(1), states).squeeze(1)
        return self.answer(read), weights
