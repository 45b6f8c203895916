# source: inference habits: what is remembered needs no gradient
# mistake: the projection runs under no_grad, so W_key never learns
class PrecomputedKeys(StepByStep):
    @torch.no_grad()
    def remember(self, keys):
        return keys, self.W_key(keys)

    def attend(self, state, memory):
        keys, projected = memory
        scores = self.v(torch.tanh(projected + self.W_query(state)[:, None])).squeeze(-1)
        weights = scores.softmax(-1)
        return (weights[:, None] @ keys)[:, 0], weights
