# source: a language model: unfold
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        patches = nn.functional.unfold(images.unsqueeze(1), self.patch, stride=self.patch).transpose(1, 2)
        states = torch.relu(self.embed(patches) + self.places)
        weights = (states @ self.query / len(self.query) ** 0.5).softmax(-1)
        return self.answer((weights.unsqueeze(1) @ states).squeeze(1)), weights
