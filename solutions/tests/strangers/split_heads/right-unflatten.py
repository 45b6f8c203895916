# source: a PyTorch person with the newer verbs
def split_heads(tensor, heads):
    """Heads beside the batch, (batch, heads, len, head_dim), from (batch, len, dim)."""
    return torch.movedim(torch.unflatten(tensor, 2, (heads, -1)), -2, 1)
