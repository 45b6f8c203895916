# source: The Annotated Transformer: transpose, contiguous, view (MIT)
def join_heads(tensor):
    batch, heads, length, head_dim = tensor.shape
    return tensor.transpose(1, 2).contiguous().view(batch, length, heads * head_dim)
