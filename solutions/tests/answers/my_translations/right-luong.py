# source: a learner who trains a Luong decoder with Adam
set_seed(0)
english = Vocabulary.build(pair.source for pair in training)
french = Vocabulary.build(pair.target for pair in training)
encoder = Encoder(len(english), 64, 96)
decoder = LuongDecoder(len(french), 64, DotProductAttention(encoder.output_dim))
model = Seq2Seq(encoder, decoder, english, french)
batches = Batches(training, english, french, batch_size=128)
optimizer = torch.optim.Adam(model.parameters())
steps, step, epochs = 4 * len(batches), 0, 4
for epoch in range(epochs):
    for batch in batches.shuffled(epoch):
        for group in optimizer.param_groups:
            group["lr"] = one_cycle(step, steps, 5e-3, 0.2)
        loss = model.losses(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1

def my_translations(sentences):
    return [detokenise(one.words) for one in model.translate_all(sentences)]
