# source: a learner: softmax over the first axis
# mistake: softmax over the sentences of the batch
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys, self.W_key(keys)

    def attend(self, state, memory):
        keys, projected = memory
        weights = self.v(torch.tanh(self.W_query(state)[:, None] + projected)).squeeze(-1).softmax(0)
        return (weights[..., None] * keys).sum(1), weights
