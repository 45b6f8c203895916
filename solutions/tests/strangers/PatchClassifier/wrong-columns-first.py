# source: a Fortran programmer
# mistake: patches are counted column by column, and the pixels inside a patch as well
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
        squares = images.mT.unfold(1, p, p).unfold(2, p, p)
        states = torch.relu(self.embed(squares.flatten(3).flatten(1, 2)) + self.places)
        weights = (states @ self.query / self.query.shape[0] ** 0.5).softmax(-1)
        return self.answer((weights[..., None] * states).sum(1)), weights
