# source: a numerical person: double precision within, the caller's type outside
def layer_norm(x, gamma, beta):
    """Normalised words (batch, len, dim), from x (batch, len, dim)."""
    d = x.double()
    d = d - d.mean(-1, keepdim=True)
    sigma = (torch.einsum("...i,...i->...", d, d) / d.shape[-1] + 1e-5).sqrt()
    return gamma * (d / sigma[..., None]).to(x.dtype) + beta
