# source: a PyTorch person: boolean masks and one_hot
def alignment_picture(weights, source, target):
    """Trimmed weights (target words, source words) and links of the same shape."""
    real = lambda words: torch.tensor([w not in ("<sos>", "<eos>", "<pad>") for w in words])
    trimmed = weights[real(target[1:])][:, real(source)]
    links = F.one_hot(trimmed.argmax(-1), trimmed.shape[-1]).bool()
    return trimmed, links
