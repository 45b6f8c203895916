# source: a language model with a dictionary and einsum
class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return {"keys": keys, "projected": self.W_key(keys).transpose(0, 1)}

    def attend(self, state, memory):
        energy = torch.tanh(memory["projected"] + self.W_query(state))
        weights = torch.softmax(self.v(energy).squeeze(-1), dim=0).T
        return torch.einsum("bs,bsd->bd", weights, memory["keys"]), weights
