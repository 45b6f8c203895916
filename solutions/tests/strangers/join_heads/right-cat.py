# source: a learner who thinks of 'end to end' as cat
def join_heads(tensor):
    return torch.cat(tensor.unbind(dim=1), dim=-1)
