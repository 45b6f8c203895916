# source: a learner who answers for each patch and scales by the number of patches
# mistake: the scores are divided by the root of the number of patches, not of dim
class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        patches = nn.functional.unfold(images.unsqueeze(1), self.patch, stride=self.patch).mT
        states = torch.relu(self.embed(patches) + self.places)
        weights = (states @ self.query / states.shape[1] ** 0.5).softmax(-1)
        return (self.answer(states) * weights[..., None]).sum(1), weights
