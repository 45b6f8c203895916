# source: in the manner of the attention of the PyTorch seq2seq tutorials: repeat, concatenate, project
def additive_scores_loop(states, keys, W_joined, v):
    tgt_len, src_len = len(states), len(keys)
    hidden = states.unsqueeze(1).repeat(1, src_len, 1)
    encoder_outputs = keys.unsqueeze(0).repeat(tgt_len, 1, 1)
    energy = torch.tanh(torch.cat((hidden, encoder_outputs), dim=2) @ W_joined.t())
    return (energy * v).sum(dim=2)
