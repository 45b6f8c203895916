# source: The Annotated Transformer's masked_fill, with minus infinity, and the NaN taken out
def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(scores.softmax(dim=-1), nan=0.0)
