# source: a pointer-network person
# mistake: the place that the network looks at most comes back, and not the letter
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
with torch.no_grad():
    sorter.previous.weight *= 0.1
    sorter.source.weight *= 0.1
train(sorter)
@torch.no_grad()
def next_letter(words, written):
    _, weights = sorter.attention(sorter.previous(written), sorter.source(words))
    return weights.argmax(-1)
