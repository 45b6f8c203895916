# source: a learner who trains with the course's Trainer, and translates one sentence after the other
from utils.training import Trainer

vocabularies = [Vocabulary.build([getattr(p, side) for p in training]) for side in ("source", "target")]
set_seed(1)
encoder = Encoder(len(vocabularies[0]), 64, 48)
model = Seq2Seq(
    encoder,
    LuongDecoder(len(vocabularies[1]), 64, DotProductAttention(encoder.output_dim)),
    *vocabularies,
)
trainer = Trainer(
    model, Batches(training, *vocabularies, batch_size=64), steps=1000, learning_rate=1e-2,
    label_smoothing=0.0, progress=False,
)
trainer.fit()


def my_translations(sentences):
    texts = []
    for sentence in sentences:
        words = model.translate(sentence, copy_unknown=False).words
        texts.append(detokenise(words))
    return texts
