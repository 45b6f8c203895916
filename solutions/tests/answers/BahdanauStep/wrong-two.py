# source: two slips at once
# mistake: no tanh in the score, and embedded and context change places in the output
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(self.W_query(state).unsqueeze(1) + self.W_key(keys)).squeeze(-1)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
        context = (weights.unsqueeze(-1) * keys).sum(1)
        new_state = self.rnn(torch.cat([embedded, context], -1), state)
        return context, weights, new_state, self.output(torch.cat([new_state, embedded, context], -1))
