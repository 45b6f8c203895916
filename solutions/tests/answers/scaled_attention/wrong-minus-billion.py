# source: The Annotated Transformer's attention, as it stands there
# mistake: rows without an open cell get equal shares
def scaled_attention(query, keys, values, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, keys.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, values), p_attn
