# source: the PyTorch seq2seq tutorial, whose decoder ends in log_softmax
# mistake: log-probabilities are returned where logits are asked for
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze(-1)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=1), state)
        logits = self.output(torch.cat([new_state, context, embedded], dim=1)).log_softmax(-1)
        return context, weights, new_state, logits
