# source: a learner who raised the rate and the number of steps
# mistake: it does not learn: 35 of 100 letters are right
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
for parameter in sorter.attention.parameters():
    nn.init.normal_(parameter, std=0.3)
train(sorter, steps=600, peak=0.03)

@torch.no_grad()
def next_letter(words, written):
    states, keys = sorter.previous(written[:, None]), sorter.source(words)
    context, _ = sorter.attention(states, keys)
    return sorter.output(context)[:, 0].argmax(-1)
