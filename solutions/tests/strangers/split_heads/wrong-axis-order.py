# source: a JAX person, whose heads stand behind the length
# mistake: the result is (batch, len, heads, head_dim)
def split_heads(tensor, heads):
    return tensor.reshape(*tensor.shape[:2], heads, tensor.shape[2] // heads)
