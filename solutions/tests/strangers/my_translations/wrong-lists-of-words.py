# source: a learner who forgets that texts are asked for
# mistake: lists of words come back, not texts
set_seed(0)
source_words = Vocabulary.build(pair.source for pair in training)
target_words = Vocabulary.build(pair.target for pair in training)
batches = Batches(training, source_words, target_words, batch_size=64)
encoder = Encoder(len(source_words), 48, 48)
model = Seq2Seq(encoder, LuongDecoder(len(target_words), 48, DotProductAttention(96)), source_words, target_words)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for batch in batches.shuffled(0):
    loss = model.losses(batch).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
def my_translations(sentences):
    return [one.words for one in model.translate_all(sentences)]
