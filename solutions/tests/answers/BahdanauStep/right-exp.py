# source: a learner with exponentials and a sum
class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        e = torch.einsum("bsa,a->bs", (self.W_query(state)[:, None] + self.W_key(keys)).tanh(), self.v.weight[0])
        e = (e - e.detach().max(-1, keepdim=True).values).exp() * mask
        weights = e / e.sum(-1, keepdim=True).clamp(min=1e-30)
        context = (weights[:, :, None] * keys).sum(1)
        new_state = self.rnn(torch.cat([embedded, context], -1), state)
        return context, weights, new_state, self.output(torch.cat([new_state, context, embedded], -1))
