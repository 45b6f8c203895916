# source: The Annotated Transformer, attention: masked_fill with -1e9
# mistake: a row that is masked whole gets equal shares
def masked_softmax(scores, mask):
    return scores.masked_fill(mask == 0, -1e9).softmax(dim=-1)
