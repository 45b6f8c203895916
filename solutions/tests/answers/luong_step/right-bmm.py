# source: in the manner of the PyTorch chatbot tutorial's LuongAttnDecoderRNN
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    rnn_output = torch.tanh(torch.cat((word, fed, state), 1) @ W_update.T)
    attn_energies = torch.bmm(encoder_states @ W.T, rnn_output.unsqueeze(2)).squeeze(2)
    attn_weights = masked_softmax(attn_energies, mask)
    context = attn_weights.unsqueeze(1).bmm(encoder_states).squeeze(1)
    concat_output = torch.tanh(torch.cat((context, rnn_output), 1) @ W_c.T)
    return concat_output @ W_out.T, rnn_output, concat_output, attn_weights
