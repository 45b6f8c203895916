# source: The Annotated Transformer's view and transpose (MIT)
def split_heads(tensor, heads):
    nbatches, length, d_model = tensor.shape
    return tensor.reshape(nbatches, length, heads, d_model // heads).transpose(1, 2)
