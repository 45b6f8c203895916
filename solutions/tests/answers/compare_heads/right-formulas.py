# source: a language model: counts by formula, under no_grad
@torch.no_grad()
def compare_heads(query, keys, counts):
    heads = torch.tensor(counts)
    B, T, D = query.shape
    S = keys.shape[1]
    words = []
    for h in counts:
        q, k = query.view(B, T, h, D // h), keys.view(B, S, h, D // h)
        w = torch.einsum("bthd,bshd->bhts", q, k).div((D // h) ** 0.5).softmax(-1)
        words.append(torch.exp(-(w * w.clamp(min=1e-38).log()).sum(-1)).mean())
    return D // heads, torch.full_like(heads, 4 * D * (D + 1)), B * T * S * heads, torch.stack(words)
