# source: a learner who returns what the network says
# mistake: logits in place of letters
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))

@torch.no_grad()
def next_letter(words, written):
    states, keys = sorter.previous(written[:, None]), sorter.source(words)
    return sorter.output(sorter.attention(states, keys)[0])[:, 0]
