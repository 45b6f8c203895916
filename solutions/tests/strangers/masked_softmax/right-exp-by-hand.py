# source: a numpy person: exp, mask, divide, and mind the empty rows
def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    shifted = torch.where(mask, scores, torch.full_like(scores, torch.finfo(scores.dtype).min))
    top = shifted.amax(-1, keepdim=True).detach()
    e = torch.where(mask, torch.where(mask, scores - top, torch.zeros_like(scores)).exp(), 0.0)
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))
