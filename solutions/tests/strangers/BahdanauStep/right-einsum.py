# source: an einsum person, with everything inline
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        hidden = torch.tanh(self.W_key(keys) + self.W_query(state).unsqueeze(1))
        scores = torch.einsum("bsa,oa->bs", hidden, self.v.weight)
        lowest = torch.finfo(scores.dtype).min
        weights = torch.where(mask, scores, lowest).softmax(-1)
        weights = torch.where(mask, weights, 0)
        context = torch.einsum("bs,bsk->bk", weights, keys)
        new_state = self.rnn(torch.hstack((embedded, context)), state)
        logits = self.output(torch.hstack((new_state, context, embedded)))
        return context, weights, new_state, logits
