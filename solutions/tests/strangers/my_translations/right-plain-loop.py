# source: a learner who reuses the loop of task 3, with Adam and one_cycle
set_seed(0)
source_words = Vocabulary.build(pair.source for pair in training)
target_words = Vocabulary.build(pair.target for pair in training)
batches = Batches(training, source_words, target_words, batch_size=64)
encoder = Encoder(len(source_words), embedding_dim=64, hidden_dim=48)
decoder = LuongDecoder(len(target_words), 64, DotProductAttention(encoder.output_dim))
model = Seq2Seq(encoder, decoder, source_words, target_words)
optimizer = torch.optim.Adam(model.parameters())
STEPS, step = 1000, 0
while step < STEPS:
    for batch in batches.shuffled(step):
        loss = model.losses(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = one_cycle(step, STEPS, 0.008, 0.2)
        optimizer.step()
        step += 1
        if step == STEPS:
            break
model.eval()
def my_translations(sentences):
    """One French text for each English text."""
    return [detokenise(one.words) for one in model.translate_all(sentences)]
