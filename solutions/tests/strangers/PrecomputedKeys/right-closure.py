# source: a functional programmer: memory is a function that attends
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        projected = self.W_key(keys)

        def look(state):
            weights = self.v((projected + self.W_query(state).unsqueeze(1)).tanh()).squeeze(-1).softmax(-1)
            return torch.einsum("bs,bsk->bk", weights, keys), weights

        return look

    def attend(self, state, memory):
        return memory(state)
