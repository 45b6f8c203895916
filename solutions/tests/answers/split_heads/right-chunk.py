# source: a learner: chunks, stacked
def split_heads(tensor, heads):
    return torch.stack(tensor.chunk(heads, dim=-1), dim=1)
