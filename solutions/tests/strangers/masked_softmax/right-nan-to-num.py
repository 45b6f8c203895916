# source: the answer that forums give: minus infinity, and torch.nan_to_num for the empty rows
def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(scores.softmax(-1), nan=0.0)
