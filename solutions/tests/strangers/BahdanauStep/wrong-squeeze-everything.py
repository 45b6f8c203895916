# source: a learner who gets rid of axes with a bare squeeze()
# mistake: squeeze() without an axis also removes the batch of one, or a source of one word
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze()
        weights = scores.masked_fill(~mask.squeeze(), -1e30).softmax(-1) * mask.squeeze()
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=1), state)
        logits = self.output(torch.cat([new_state, context, embedded], dim=1))
        return context, weights, new_state, logits
