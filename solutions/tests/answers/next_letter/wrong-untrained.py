# source: a learner who forgot to train
# mistake: the network is not trained
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))

@torch.no_grad()
def next_letter(words, written):
    states, keys = sorter.previous(written[:, None]), sorter.source(words)
    return sorter.output(sorter.attention(states, keys)[0])[:, 0].argmax(-1)
