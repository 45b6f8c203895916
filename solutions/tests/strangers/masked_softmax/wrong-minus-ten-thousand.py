# source: BERT's first code, (1 - mask) * -10000
# mistake: -10000 is added, so hidden words get weight where scores lie that far apart, and rows that are masked whole are not 0
def masked_softmax(scores, mask):
    adder = (1.0 - mask.float()) * -10000.0
    return torch.softmax(scores + adder, dim=-1)
