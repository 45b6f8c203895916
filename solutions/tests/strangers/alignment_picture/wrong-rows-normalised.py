# source: a learner who wants tidy rows
# mistake: the trimmed rows are divided by their sum, though the numbers are to be left as they are
def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    rows = torch.tensor([w not in special for w in target[1:]])
    columns = torch.tensor([w not in special for w in source])
    trimmed = weights[rows][:, columns]
    trimmed = trimmed / trimmed.sum(-1, keepdim=True)
    return trimmed, F.one_hot(trimmed.argmax(-1), trimmed.shape[1]).bool()
