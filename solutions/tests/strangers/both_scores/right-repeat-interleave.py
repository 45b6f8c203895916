# source: a TensorFlow person: tf.tile and tf.repeat
def both_scores(query, keys, W, W_joined, v):
    """Scores of general, then of concat: two tensors (batch, tgt_len, src_len)."""
    b, t, _ = query.shape
    s = keys.shape[1]
    general = query.matmul(W).matmul(keys.permute(0, 2, 1))
    repeated = torch.repeat_interleave(query, s, dim=1)
    tiled = torch.tile(keys, (1, t, 1))
    hidden = torch.tanh(torch.cat([repeated, tiled], dim=-1) @ W_joined.t())
    return general, (hidden @ v).reshape(b, t, s)
