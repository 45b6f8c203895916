# source: a language model: boolean masks
def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    keep_rows = torch.tensor([w not in special for w in target[1:]])
    keep_columns = torch.tensor([w not in special for w in source])
    trimmed = weights[keep_rows][:, keep_columns]
    links = F.one_hot(trimmed.argmax(-1), trimmed.shape[1]).bool()
    return trimmed, links
