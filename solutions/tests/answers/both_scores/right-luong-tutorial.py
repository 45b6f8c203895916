# source: in the manner of the PyTorch chatbot tutorial's Attn: general_score, concat_score
def both_scores(query, keys, W, W_joined, v):
    energy = torch.nn.functional.linear(keys, W)
    general = torch.bmm(query, energy.transpose(1, 2))
    a = query.unsqueeze(2).repeat(1, 1, keys.size(1), 1)
    b = keys.unsqueeze(1).repeat(1, query.size(1), 1, 1)
    energy = torch.nn.functional.linear(torch.cat((a, b), 3), W_joined).tanh()
    return general, torch.sum(v * energy, dim=3)
