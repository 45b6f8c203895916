"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F
from torch import nn


class _Parameters(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.shape = height // patch, width // patch
        self.patch = patch
        self.embed = nn.Linear(patch**2, dim)
        self.places = nn.Parameter(torch.zeros(self.shape[0] * self.shape[1], dim))
        self.query = nn.Parameter(torch.zeros(dim))
        self.answer = nn.Linear(dim, classes)


class ByReshaping(_Parameters):
    def forward(self, images):
        down, across = self.shape
        cells = images.reshape(len(images), down, self.patch, across, self.patch)
        pieces = cells.permute(0, 1, 3, 2, 4).reshape(len(images), down * across, -1)
        states = F.relu(self.embed(pieces) + self.places)
        weights = F.softmax(states @ self.query * len(self.query) ** -0.5, dim=1)
        return self.answer(torch.einsum("bp,bpd->bd", weights, states)), weights


class WithUnfold(_Parameters):
    def forward(self, pictures):
        pieces = F.unfold(pictures[:, None], self.patch, stride=self.patch).transpose(1, 2)
        states = torch.relu(self.embed(pieces) + self.places)
        query = self.query.expand(len(pictures), 1, -1)
        eye = torch.eye(states.shape[1], dtype=states.dtype).expand(len(pictures), -1, -1)
        weights = F.scaled_dot_product_attention(query, states, eye)
        return self.answer(weights @ states).squeeze(1), weights.squeeze(1)


class PatchByPatch(_Parameters):
    def forward(self, images):
        size, states = self.patch, []
        for top in range(0, images.shape[1], size):
            for left in range(0, images.shape[2], size):
                pixels = images[:, top : top + size, left : left + size].flatten(1)
                states.append((self.embed(pixels) + self.places[len(states)]).clamp(min=0))
        states = torch.stack(states, dim=1)
        scores = (states * self.query).sum(-1) / self.query.numel() ** 0.5
        weights = scores.softmax(-1)
        return self.answer((weights[..., None] * states).sum(1)), weights


class ImageByImage(_Parameters):
    def one(self, image):
        rows = image.split(self.patch, dim=0)
        pieces = torch.stack(
            [cell.flatten() for row in rows for cell in row.split(self.patch, dim=1)]
        )
        states = (self.embed(pieces) + self.places).relu()
        weights = (states @ self.query / states.shape[1] ** 0.5).softmax(0)
        return self.answer(weights @ states), weights

    def forward(self, images):
        logits, weights = zip(*map(self.one, images), strict=True)
        return torch.stack(logits), torch.stack(weights)
