# source: The Annotated Transformer's attention (MIT), made safe for rows without an open cell
def scaled_attention(query, keys, values, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, keys.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn.masked_fill(mask == 0, 0.0)
    return torch.matmul(p_attn, values), p_attn
