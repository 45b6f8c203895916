# source: a numerical person: query and keys each get a fourth root of the width
def scaled_attention(query, keys, values, mask=None):
    root = query.size(-1) ** 0.25
    scores = torch.baddbmm(query.new_zeros(1, 1, 1), query / root, (keys / root).mT, beta=0)
    if mask is None:
        weights = scores.softmax(dim=-1)
        return weights.bmm(values), weights
    log_open = torch.where(mask, 0.0, -1e30)
    weights = (scores + log_open).softmax(dim=-1) * mask
    return weights.bmm(values), weights
