# source: a learner who counts the words and slices from the front
# mistake: the first columns are kept, which are the wrong ones if <sos> stands before the source
def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    s = sum(w not in special for w in source)
    t = sum(w not in special for w in target)
    trimmed = weights[:t, :s]
    return trimmed, trimmed == trimmed.amax(-1, keepdim=True)
