# source: a learner who cuts with slices
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        p, pieces = self.patch, []
        for top in range(0, images.shape[1] - p + 1, p):
            for start in range(0, images.shape[2] - p + 1, p):
                pieces.append(images[:, top : top + p, start : start + p].reshape(len(images), p * p))
        states = (self.embed(torch.stack(pieces, 1)) + self.places).relu()
        weights = torch.softmax((states * self.query).sum(-1) / self.query.numel() ** 0.5, 1)
        return self.answer((weights[..., None] * states).sum(1)), weights
