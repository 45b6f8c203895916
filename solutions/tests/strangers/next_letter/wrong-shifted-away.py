# source: a learner who hands the letter to forward and forgets that forward shifts
# mistake: forward puts a 0 in front and drops the letter, so the first letter of the word comes back each time
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
with torch.no_grad():
    sorter.previous.weight *= 0.1
    sorter.source.weight *= 0.1
train(sorter)
def next_letter(words, written):
    with torch.no_grad():
        logits, _ = sorter(words, written.unsqueeze(1))
    return logits[:, 0].argmax(-1)
