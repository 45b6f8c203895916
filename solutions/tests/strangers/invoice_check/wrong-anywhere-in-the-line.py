# source: a learner who looks the number up in the source
# mistake: a number is only wrong if it stands nowhere in the source, so two that have changed places pass
def invoice_check(weights, source, target, least):
    known = {number(word, ".") for word in source} - {None}
    ours = [number(word, ",") for word in target]
    wrong = torch.tensor([n is not None and n not in known for n in ours])
    unsure = torch.tensor([n is not None for n in ours]) & (weights.amax(-1) < least)
    return wrong, unsure
