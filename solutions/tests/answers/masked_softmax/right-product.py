# source: a language model: exponentials times the mask
def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    low = torch.finfo(scores.dtype).min
    largest = torch.where(mask, scores, low).amax(-1, keepdim=True)
    e = torch.where(mask, scores - largest, 0.0).exp() * mask
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))
