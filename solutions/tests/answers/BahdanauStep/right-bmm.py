# source: in the manner of the PyTorch tutorial "Translation with a sequence to sequence network and attention"
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state.unsqueeze(1)) + self.W_key(keys)))
        scores = scores.squeeze(2)
        scores = scores.masked_fill(~mask, -float("inf"))
        weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)
        hidden = self.rnn(torch.cat((embedded, context), dim=1), state)
        logits = self.output(torch.cat((hidden, context, embedded), dim=1))
        return context, weights, hidden, logits
