# source: a learner who wants no exposure bias, and few steps
# mistake: sixty steps that read its own words are far too few: hardly a sentence is right
set_seed(0)
source_words = Vocabulary.build(pair.source for pair in training)
target_words = Vocabulary.build(pair.target for pair in training)
batches = Batches(training, source_words, target_words, batch_size=64)
encoder = Encoder(len(source_words), 48, 48)
model = Seq2Seq(encoder, LuongDecoder(len(target_words), 48, DotProductAttention(96)), source_words, target_words)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for _, batch in zip(range(60), batches.shuffled(0)):
    loss = model.losses(batch, teacher_forcing=0.0).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
def my_translations(sentences):
    return [detokenise(one.words) for one in model.translate_all(sentences)]
