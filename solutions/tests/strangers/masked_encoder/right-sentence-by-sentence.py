# source: a C programmer: each sentence alone, copied into its place
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    """States and mask of a padded batch (batch, src_len, embedding_dim)."""
    rows = []
    for vectors, n in zip(embedded, lengths.tolist()):
        row = vectors.new_zeros(len(vectors), 2 * len(bias))
        if n:
            own = vectors[:n].unsqueeze(0)
            both = torch.cat([read(own, w_forward, bias), read(own.flip(1), w_backward, bias).flip(1)], -1)
            row = torch.cat([both[0], row[n:]])
        rows.append(row)
    mask = torch.arange(embedded.shape[1])[None, None] < lengths[:, None, None]
    return torch.stack(rows), mask
