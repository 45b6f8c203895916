"""Right answers, written in other ways."""

import torch


def one_product_after_the_other(batch, tgt_len, src_len, dim, value_dim):
    scores = batch * tgt_len * dim * src_len
    contexts = batch * tgt_len * src_len * value_dim
    return scores + contexts, batch * tgt_len * src_len * torch.finfo(torch.float32).bits // 8


def length_by_length(batch, tgt_len, src_len, dim, value_dim):
    pairs = list(zip(tgt_len.tolist(), src_len.tolist(), strict=True))
    return (
        torch.tensor([batch * t * s * (dim + value_dim) for t, s in pairs]),
        torch.tensor([4 * batch * t * s for t, s in pairs]),
    )


def on_paper(batch, tgt_len, src_len, dim, value_dim):
    products, sizes = [], []
    for t, s in zip(tgt_len, src_len, strict=True):
        weights = torch.empty(batch, t, s, device="meta")
        products.append(weights.numel() * dim + weights.numel() * value_dim)
        sizes.append(weights.numel() * weights.element_size())
    return [torch.tensor(products), torch.tensor(sizes)]
