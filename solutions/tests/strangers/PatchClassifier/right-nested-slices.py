# source: a C programmer: two loops over the image, slices
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        p, (_, height, width) = self.patch, images.shape
        pieces = [
            images[:, y : y + p, x : x + p].flatten(1)
            for y in range(0, height, p)
            for x in range(0, width, p)
        ]
        states = torch.relu(self.embed(torch.stack(pieces, dim=1)) + self.places)
        weights = torch.softmax(states @ self.query / self.query.numel() ** 0.5, dim=-1)
        return self.answer((weights.unsqueeze(-1) * states).sum(1)), weights
