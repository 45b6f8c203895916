# source: a Python person: the memory is a dictionary
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return {"values": keys, "questions": self.W_key(keys)}

    def attend(self, state, memory):
        bar = self.W_query(state)[:, None, :]
        scores = self.v(torch.tanh(memory["questions"] + bar))[:, :, 0]
        weights = torch.softmax(scores, dim=1)
        return (weights[:, :, None] * memory["values"]).sum(1), weights
