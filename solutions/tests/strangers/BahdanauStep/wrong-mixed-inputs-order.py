# source: a learner who joins alphabetically: context, embedded, state
# mistake: rnn reads [c; y] and output reads [c; y; s], which the given weights do not expect
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze(-1)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
        context = torch.einsum("bs,bsk->bk", weights, keys)
        new_state = self.rnn(torch.cat([context, embedded], dim=1), state)
        logits = self.output(torch.cat([context, embedded, new_state], dim=1))
        return context, weights, new_state, logits
