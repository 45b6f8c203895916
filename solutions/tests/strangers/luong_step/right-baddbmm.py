# source: a BLAS person: bmm everywhere, the matrices cut instead of the vectors joined
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    e, n = word.shape[1], state.shape[1]
    new = torch.tanh(
        word @ W_update[:, :e].T + fed @ W_update[:, e : e + n].T + state @ W_update[:, e + n :].T
    )
    scores = torch.bmm(encoder_states, (new @ W).unsqueeze(2)).squeeze(2)
    weights = masked_softmax(scores, mask)
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
    k = encoder_states.shape[2]
    attentional = torch.tanh(context @ W_c[:, :k].T + new @ W_c[:, k:].T)
    return attentional @ W_out.T, new, attentional, weights
