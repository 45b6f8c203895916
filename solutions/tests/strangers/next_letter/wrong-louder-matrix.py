# source: a learner who suspects that general's scores are too small
# mistake: the attention's matrix starts four times as large, which makes it worse: far below 85 % of the letters are right
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
with torch.no_grad():
    sorter.attention.W.weight *= 4
train(sorter)
def next_letter(words, written):
    with torch.no_grad():
        context, _ = sorter.attention(sorter.previous(written), sorter.source(words))
        return sorter.output(context).argmax(-1)
