# source: a learner who reads [s; c; y] and has two states at hand
# mistake: the output reads the state that came in, not the new one
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze(-1)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=1), state)
        logits = self.output(torch.cat([state, context, embedded], dim=1))
        return context, weights, new_state, logits
