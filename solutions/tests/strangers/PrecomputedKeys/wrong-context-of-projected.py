# source: a learner who stores one thing only
# mistake: the memory holds the projected keys alone, and the context is a mixture of these
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return self.W_key(keys)

    def attend(self, state, memory):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + memory)).squeeze(-1)
        weights = scores.softmax(-1)
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights
