# source: a PyTorch person: F.linear for every formula
import torch.nn.functional as F
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    """Logits, the new state, the attentional vector and the weights, in this order."""
    s = F.linear(torch.cat([word, fed, state], dim=-1), W_update).tanh()
    e = (F.linear(encoder_states, W) * s.unsqueeze(1)).sum(dim=-1)
    alpha = masked_softmax(e, mask)
    c = (alpha.unsqueeze(-1) * encoder_states).sum(dim=1)
    h = F.linear(torch.cat([c, s], dim=-1), W_c).tanh()
    return F.linear(h, W_out), s, h, alpha
