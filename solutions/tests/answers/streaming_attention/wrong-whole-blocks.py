# source: a learner who counts the blocks by whole division
# mistake: the last, shorter block is not read
def streaming_attention(query, keys, values, mask, block):
    end = keys.shape[1] // block * block
    keys, values, mask = keys[:, :end], values[:, :end], mask[:, :, :end]
    scores = (query @ keys.mT / query.shape[-1] ** 0.5).masked_fill(~mask, -1e30)
    largest = scores.amax(-1, keepdim=True)
    e = torch.exp(scores - largest) * mask
    total = e.sum(-1)
    return e @ values / total.clamp(min=1e-30)[..., None], total
