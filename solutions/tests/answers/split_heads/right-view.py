# source: The Annotated Transformer, as it stands: view
def split_heads(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.view(batch, length, heads, dim // heads).transpose(1, 2)
