"""Test the Transformer: against PyTorch's blocks, word by word, and as a part of `Seq2Seq`."""

import pytest
import torch
from torch import nn

from utils.corpora import Batches, translation_corpus
from utils.masks import causal_mask, padding_mask
from utils.model_helpers import set_seed
from utils.positions import AlibiPositions, Positions, RotaryPositions, SinusoidalPositions
from utils.seq2seq import Seq2Seq
from utils.torch_twins import to_torch
from utils.training import Trainer
from utils.transformer import (
    MAX_LEN,
    DecoderBlock,
    EncoderBlock,
    TransformerDecoder,
    TransformerEncoder,
)

SIZES = {"dim": 16, "heads": 4, "hidden": 24}

both_orders = pytest.mark.parametrize("pre", [True, False], ids=["pre", "post"])


@pytest.fixture(scope="module")
def corpus():
    return translation_corpus(pairs=200, phrases=(1, 2))


def make(corpus, pre=True, layers=2, dropout=0.0):
    set_seed(0)
    vocabularies = corpus.vocabularies()
    settings = {**SIZES, "layers": layers, "pre": pre, "dropout": dropout}
    encoder, decoder = (
        half(len(vocabulary), **settings)
        for half, vocabulary in zip(
            (TransformerEncoder, TransformerDecoder), vocabularies, strict=True
        )
    )
    return Seq2Seq(encoder, decoder, *vocabularies)


def copy_common(theirs, ours, norms):
    theirs.self_attn = to_torch(ours.attention)
    theirs.linear1, theirs.linear2 = ours.feed_forward[0], ours.feed_forward[2]
    for place, norm in enumerate(norms, start=1):
        setattr(theirs, f"norm{place}", norm)
    return theirs.eval()


@both_orders
def test_the_blocks_are_pytorch_s(pre):
    set_seed(0)
    settings = {"dropout": 0.0, "batch_first": True, "norm_first": pre, "dtype": torch.float64}
    source = torch.randn(2, 6, 16, dtype=torch.float64)
    target = torch.randn(2, 5, 16, dtype=torch.float64)
    mask, causal = padding_mask([6, 4]), causal_mask(5)

    ours = EncoderBlock(**SIZES, pre=pre).double()
    theirs = copy_common(nn.TransformerEncoderLayer(16, 4, 24, **settings), ours, ours.norms)
    expected = theirs(source, src_key_padding_mask=~mask[:, 0])
    assert torch.allclose(ours(source, mask)[mask[:, 0]], expected[mask[:, 0]], atol=1e-10)

    ours = DecoderBlock(**SIZES, pre=pre).double()
    norms = [ours.norms[place] for place in (0, 2, 1)]
    theirs = copy_common(nn.TransformerDecoderLayer(16, 4, 24, **settings), ours, norms)
    theirs.multihead_attn = to_torch(ours.cross)
    expected = theirs(target, source, ~causal, memory_key_padding_mask=~mask[:, 0])
    assert torch.allclose(ours(target, causal, source, mask), expected, atol=1e-10)


def read_word_by_word(model, words, memory, state):
    """Run the decoder on one word at a time; return all readouts, all weights, the last state."""
    steps = []
    for word in words.split(1, dim=1):
        *step, state = model.decoder(word, memory, state)
        steps.append(step)
    return *(torch.cat(parts, dim=1) for parts in zip(*steps, strict=True)), state


@both_orders
def test_word_by_word_is_the_same_as_all_at_once(corpus, pre):
    model = make(corpus, pre).eval()
    batch = next(iter(Batches(corpus.train[:5], *corpus.vocabularies())))
    with torch.no_grad():
        memory, start = model.start(batch.source, batch.source_lengths)
        words = batch.decoder_input
        at_once, weights, end = model.decoder(words, memory, start)
        readouts, rows, state = read_word_by_word(model, words, memory, start)
        two, _, half = model.decoder(words[:, :2], memory, start)
        rest, _, _ = model.decoder(words[:, 2:], memory, half)
    assert torch.allclose(readouts, at_once, atol=1e-5)
    assert torch.allclose(torch.cat([two, rest], dim=1), at_once, atol=1e-5)
    assert torch.allclose(rows, weights, atol=1e-5)
    assert torch.allclose(weights.sum(-1), torch.ones(()), atol=1e-5)
    assert state.position == end.position == words.shape[1]
    # and the blocks by themselves, which exercises and notebook use, agree with the decoder
    with torch.no_grad():
        states = model.encoder(batch.source, batch.source_lengths).states
        x = model.decoder.embed(words)
        for block in model.decoder.blocks:
            x = block(x, causal_mask(words.shape[1]), states, batch.source_mask)
    assert torch.allclose(model.decoder.norm(x), at_once, atol=1e-5)


def test_a_source_does_not_notice_the_padding_behind_it(corpus):
    model = make(corpus)
    long = max(corpus.train, key=lambda pair: len(pair.source)).source
    short = min(corpus.train, key=lambda pair: len(pair.source)).source
    together, alone = model.translate_all([short, long]), model.translate(short)
    assert together[0].words == alone.words
    assert torch.allclose(together[0].weights, alone.weights, atol=1e-5)
    assert model.translate(long, beam_size=1).words == model.translate_all([long])[0].words


def test_beam_and_greedy_search_run_and_training_lowers_the_loss(corpus):
    model = make(corpus, layers=1, dropout=0.1)
    batches = Batches(corpus.train, *corpus.vocabularies(), batch_size=32)
    trainer = Trainer(model, batches, steps=60, learning_rate=1e-2, progress=False)
    trainer.fit()
    assert sum(trainer.losses[-5:]) < 0.75 * sum(trainer.losses[:5])
    translation = model.translate(corpus.test[0].source, beam_size=3)
    assert translation.weights.shape == (len(translation.words), len(corpus.test[0].source))


def test_more_words_than_positions_are_refused(corpus):
    model = make(corpus)
    with pytest.raises(ValueError, match=rf"up to {MAX_LEN}, 16\), got \(1, 2, 16\) from position"):
        model.decoder.embed(torch.zeros(1, 2, dtype=torch.long), MAX_LEN - 1)


KINDS = {
    "none": Positions,
    "sinusoids": lambda: SinusoidalPositions(16),
    "rotary": lambda: RotaryPositions(4),
    "rotary in pairs": lambda: RotaryPositions(4, layout="pairs"),
    "alibi": AlibiPositions,
}


@pytest.mark.parametrize("cross", [False, True], ids=["self", "cross"])
@pytest.mark.parametrize("kind", KINDS)
def test_with_every_kind_of_positions_steps_give_what_one_pass_gives(corpus, kind, cross):
    set_seed(0)
    positions, (source, target) = KINDS[kind](), corpus.vocabularies()
    encoder = TransformerEncoder(len(source), **SIZES, layers=2, positions=positions)
    options = {"positions": positions, "cross_positions": positions if cross else None}
    decoder = TransformerDecoder(len(target), **SIZES, layers=2, **options)
    model = Seq2Seq(encoder, decoder, source, target).double().eval()
    batch = next(iter(Batches(corpus.test, source, target)))
    with torch.no_grad():
        encoded = model.encoder(batch.source, batch.source_lengths)
        memory, state, steps = decoder.remember(encoded), decoder.start(encoded), []
        whole, _, _ = decoder(batch.decoder_input, memory, state)
        for word in batch.decoder_input.split([1, 2, batch.decoder_input.shape[1] - 3], dim=1):
            readout, _, state = decoder(word, memory, state)
            steps.append(readout)
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, atol=1e-10, rtol=0)


def test_without_positions_the_encoder_cannot_tell_orders_apart(corpus):
    words, lengths = torch.tensor([[4, 5, 6, 7]]), torch.tensor([4])
    for kind, make_positions in KINDS.items():
        set_seed(0)
        encoder = TransformerEncoder(20, **SIZES, layers=1, positions=make_positions())
        states = encoder(words, lengths).states
        turned = encoder(words.flip(1), lengths).states.flip(1)
        apart = (turned - states).abs().max()
        assert apart < 1e-5 if kind in ("none", "alibi") else apart > 1e-3, kind
