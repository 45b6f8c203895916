# source: a learner who caches on the module
# mistake: the projected keys are kept on the module and never renewed, so a second batch is answered with the first one's
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        if not hasattr(self, "cache"):
            self.cache = self.W_key(keys)
        return keys, self.cache

    def attend(self, state, memory):
        keys, projected = memory
        scores = self.v(torch.tanh(projected + self.W_query(state)[:, None])).squeeze(-1)
        weights = scores.softmax(-1)
        return (weights[..., None] * keys).sum(1), weights
