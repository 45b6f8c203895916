# source: a learner who keeps both
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys, self.W_key(keys)

    def attend(self, state, memory):
        keys, projected = memory
        energy = torch.tanh(self.W_query(state)[:, None] + projected)
        weights = self.v(energy)[..., 0].softmax(dim=1)
        return torch.bmm(weights[:, None], keys)[:, 0], weights
