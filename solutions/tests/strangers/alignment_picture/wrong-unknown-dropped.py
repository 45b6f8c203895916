# source: a learner who drops everything in angle brackets
# mistake: <unk> is a word of the sentence, and it is dropped
def alignment_picture(weights, source, target):
    rows = torch.tensor([not w.startswith("<") for w in target[1:]])
    columns = torch.tensor([not w.startswith("<") for w in source])
    trimmed = weights[rows][:, columns]
    links = torch.zeros_like(trimmed).scatter_(1, trimmed.argmax(1, keepdim=True), 1.0).bool()
    return trimmed, links
