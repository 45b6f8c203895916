# source: a learner who remembers the keys and no more
# mistake: the keys are projected in every step
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys

    def attend(self, state, memory):
        energy = torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(memory))
        weights = self.v(energy).squeeze(-1).softmax(-1)
        return (weights.unsqueeze(-1) * memory).sum(1), weights
