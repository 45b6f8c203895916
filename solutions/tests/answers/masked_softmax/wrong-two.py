# source: two slips at once
# mistake: scores times mask, and zeros afterwards without sharing out again
def masked_softmax(scores, mask):
    return torch.softmax(scores * mask, dim=-1) * mask
