# source: a vision person: F.unfold with a stride
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        """Logits (batch, classes) and weights (batch, patches) of images (batch, height, width)."""
        columns = nn.functional.unfold(images[:, None], self.patch, stride=self.patch)
        states = nn.functional.relu(self.embed(columns.transpose(1, 2)) + self.places)
        scores = torch.einsum("bnd,d->bn", states, self.query).div(states.size(-1) ** 0.5)
        weights = scores.softmax(1)
        context = torch.bmm(weights[:, None], states)[:, 0]
        return self.answer(context), weights
