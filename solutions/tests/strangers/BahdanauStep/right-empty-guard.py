# source: a defensive learner: -inf, with the empty rows put right before the softmax
class BahdanauStep(BahdanauLayers):
    def look(self, state, keys, mask):
        scores = self.v((self.W_query(state)[:, None] + self.W_key(keys)).tanh())[..., 0]
        nobody = ~mask.any(1, keepdim=True)
        weights = scores.masked_fill(~mask & ~nobody, -torch.inf).softmax(1)
        weights = weights.masked_fill(nobody, 0.0)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights

    def forward(self, state, embedded, keys, mask):
        context, weights = self.look(state, keys, mask)
        new_state = self.rnn(torch.cat([embedded, context], -1), state)
        logits = self.output(torch.cat([new_state, context, embedded], -1))
        return context, weights, new_state, logits
