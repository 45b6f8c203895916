# source: a learner who suspects that the embeddings start too loud
set_seed(1)
sorter = Sorter(MultiplicativeAttention(query_dim=48, key_dim=64, method="general"))
for table in (sorter.previous, sorter.source):
    nn.init.normal_(table.weight, std=0.1)
train(sorter)
def next_letter(words, written):
    """The next letter (batch,) of each word (batch, length), after those written (batch,)."""
    with torch.no_grad():
        context, _ = sorter.attention(sorter.previous(written), sorter.source(words))
        return sorter.output(context).argmax(-1)
