# source: a learner who cuts with chunk and stacks
def split_heads(tensor, heads):
    return torch.stack(tensor.chunk(heads, dim=-1), dim=1)
