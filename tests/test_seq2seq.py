import math
import random
from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.mechanisms import DIM, MECHANISMS
from utils.attention import Attention, DotProductAttention
from utils.corpora import EOS, PAD, SOS, UNK, Batches, Pair, Vocabulary
from utils.seq2seq import (
    TOGETHER,
    BahdanauDecoder,
    Encoder,
    FixedVectorDecoder,
    LuongDecoder,
    Seq2Seq,
    evaluating,
)

WORDS = Vocabulary("abcdefgh")
ORDERS = {"Bahdanau": BahdanauDecoder, "Luong": LuongDecoder}


def make_model(order="Luong", attention=None, dropout=0.0):
    """Return an untrained model.

    Its word vectors are large: otherwise its translations would repeat one word.
    """
    torch.manual_seed(0)
    encoder = Encoder(len(WORDS), 6, DIM // 2, dropout)
    if order == "fixed vector":
        decoder = FixedVectorDecoder(len(WORDS), 6, DIM, DIM, dropout)
    else:
        attention = attention or DotProductAttention(DIM)
        decoder = ORDERS[order](len(WORDS), 6, attention, dropout)
    nn.init.normal_(decoder.embedding.weight, std=2)
    return Seq2Seq(encoder, decoder, WORDS, WORDS).eval()


def make_batch(*texts):
    """Return a batch of pairs, each written as "source > target"."""
    pairs = []
    for text in texts:
        source, target = (tuple(side.split()) for side in text.split(">"))
        pairs.append(Pair(source, target, "", ""))
    (batch,) = Batches(pairs, WORDS, WORDS, batch_size=len(pairs))
    return batch


BATCH = make_batch("a b > c d e", "c a d > f", "e f g h a b > a b c d", "b > h g f e d c")
EVERY_ORDER = [*ORDERS, "fixed vector"]
MODELS = {
    **{
        f"{order}, {name}": (order, mechanism)
        for order in ORDERS
        for name, mechanism in MECHANISMS.items()
        if not mechanism.self_only
    },
    "fixed vector": ("fixed vector", None),
}
every_model = pytest.mark.parametrize(("order", "mechanism"), MODELS.values(), ids=MODELS)


# The encoder


def test_the_backward_direction_starts_at_each_sentence_s_own_last_word():
    model = make_model()
    encoded = model.encoder(BATCH.source, BATCH.source_lengths)
    rnn = model.encoder.rnn
    for row, length in enumerate(BATCH.source_lengths):
        words = model.encoder.embedding(BATCH.source[row : row + 1, :length])
        alone, _ = rnn(words)  # no padding in sight
        assert torch.allclose(encoded.states[row, :length], alone[0], atol=1e-6)
        assert (encoded.states[row, length:] == 0).all()
        forward, backward = alone[0, -1, : DIM // 2], alone[0, 0, DIM // 2 :]
        assert torch.allclose(encoded.summary[row], torch.cat([forward, backward]), atol=1e-6)
    assert torch.equal(encoded.mask, BATCH.source_mask)


def test_a_source_without_words_is_refused():
    with pytest.raises(ValueError, match="row 1 has none; leave out empty lines"):
        make_model().encoder(torch.tensor([[4], [PAD]]), torch.tensor([1, 0]))


def test_parts_that_do_not_fit_are_refused_with_the_remedy():
    encoder = Encoder(len(WORDS), 6, 5)
    decoder = LuongDecoder(len(WORDS), 6, DotProductAttention(DIM))
    with pytest.raises(ValueError, match=r"10 wide .* made for 8: .* key_dim=10"):
        Seq2Seq(encoder, decoder, WORDS, WORDS)
    encoder = Encoder(9, 6, DIM // 2)
    with pytest.raises(ValueError, match=r"source .* has 12 words, .* has 9: .*vocab_size"):
        Seq2Seq(encoder, decoder, WORDS, WORDS)


# The decoders


class Narrow(Attention):
    """A mechanism whose context is narrower than the values."""

    def __init__(self):
        super().__init__(DIM, DIM)
        self.W_v = nn.Linear(DIM, 3)

    def project_values(self, values):
        return self.W_v(values)

    def compare(self, query, projected_keys):
        return query @ projected_keys.mT


class Wide(Narrow):
    """A mechanism whose context is three times as wide as its projected values."""

    def look_up(self, weights, projected_values):
        mean = super().look_up(weights, projected_values)
        return torch.cat([mean, mean.square(), mean.exp()], dim=-1)


@pytest.mark.parametrize(("mechanism", "width"), [(Narrow, 3), (Wide, 9)])
@pytest.mark.parametrize("order", ORDERS)
def test_a_new_mechanism_cannot_get_the_width_of_its_context_wrong(order, mechanism, width):
    model = make_model(order, mechanism())
    assert model.decoder.attention.context_dim == width
    assert model.decoder.readout.in_features == width + DIM
    readouts, _ = model(BATCH)
    assert readouts.shape == (4, 7, 6)
    assert len(search(model, SENTENCES, 0)) == len(SENTENCES)


@every_model
def test_all_words_at_once_equal_one_word_at_a_time(order, mechanism):
    model = make_model(order, mechanism.make() if mechanism else None)
    memory, state = model.start(BATCH.source, BATCH.source_lengths)
    words = BATCH.decoder_input
    readouts, weights, last = model.decoder(words, memory, state)
    for step in range(words.shape[1]):
        readout, weight, state = model.decoder(words[:, step : step + 1], memory, state)
        assert torch.allclose(readout[:, 0], readouts[:, step], atol=1e-5)
        assert torch.allclose(weight[:, 0], weights[:, step], atol=1e-5)
    assert torch.allclose(state.hidden, last.hidden, atol=1e-5)
    assert torch.allclose(state.cell, last.cell, atol=1e-5)
    assert state.position == last.position == words.shape[1]


def test_luong_makes_one_call_for_all_words(monkeypatch):
    model = make_model("Luong")
    calls = []
    step = model.decoder.step
    monkeypatch.setattr(
        model.decoder, "step", lambda words, *rest: calls.append(words.shape) or step(words, *rest)
    )
    model(BATCH)
    assert calls == [(4, 7, 6)]


def test_bahdanau_attends_with_the_state_before_the_word_luong_with_the_one_after():
    for order, expected_index in (("Bahdanau", 0), ("Luong", 1)):
        model = make_model(order, MECHANISMS["additive"].make())
        memory, state = model.start(BATCH.source, BATCH.source_lengths)
        word = BATCH.decoder_input[:, :1]
        _, weights, after = model.decoder(word, memory, state)
        query = (state, after)[expected_index].hidden
        _, expected = model.decoder.attention.attend(query, memory)
        assert torch.allclose(weights[:, 0], expected, atol=1e-6), order


@pytest.mark.parametrize("order", ORDERS)
def test_attention_passes_the_gradient_to_the_states_of_the_words_alone(order):
    model = make_model(order)
    encoded = model.encoder(BATCH.source, BATCH.source_lengths)
    states = encoded.states.detach().requires_grad_()
    encoded = encoded._replace(states=states, summary=encoded.summary.detach())
    decoder = model.decoder
    readouts, _, _ = decoder(BATCH.decoder_input, decoder.remember(encoded), decoder.start(encoded))
    readouts.square().sum().backward()
    reached = states.grad.abs().sum(-1) > 0  # (batch, src_len)
    assert torch.equal(reached, BATCH.source_mask.squeeze(1))


def test_without_attention_the_vector_is_fed_at_every_step():
    model = make_model("fixed vector")
    encoded = model.encoder(BATCH.source, BATCH.source_lengths)
    state = model.decoder.start(encoded)
    other = encoded._replace(summary=encoded.summary + 1)
    readouts = [
        model.decoder(BATCH.decoder_input, model.decoder.remember(e), state)[0]
        for e in (encoded, other)
    ]
    assert ((readouts[0] - readouts[1]).abs().amax((0, 2)) > 1e-3).all()


@pytest.mark.parametrize("order", EVERY_ORDER)
def test_padding_changes_nothing(order):
    model = make_model(order)
    together_losses = model.losses(BATCH)
    _, together_weights = model(BATCH)
    alone_losses = []
    for row, pair in enumerate(BATCH.pairs):
        text = f"{' '.join(pair.source)} > {' '.join(pair.target)}"
        batch = make_batch(text)
        alone_losses.append(model.losses(batch))
        _, weights = model(batch)  # (1, tgt_len, src_len)
        cut = together_weights[row, : weights.shape[1], : weights.shape[2]]
        assert torch.allclose(cut, weights[0], atol=1e-6)
    assert torch.allclose(together_losses, torch.cat(alone_losses), atol=1e-5)


# Training targets


def test_losses_are_the_cross_entropy_of_the_real_words_row_after_row():
    model = make_model()
    readouts, _ = model(BATCH)
    logits = model.decoder.output(readouts)  # (batch, tgt_len, vocab)
    for smoothing in (0.0, 0.1):
        expected = F.cross_entropy(
            logits.transpose(1, 2), BATCH.labels, reduction="none", label_smoothing=smoothing
        )
        rows = [
            row[: len(pair.target) + 1] for row, pair in zip(expected, BATCH.pairs, strict=True)
        ]
        losses = model.losses(BATCH, label_smoothing=smoothing)
        assert torch.allclose(losses, torch.cat(rows), atol=1e-5)


def test_output_projection_and_embedding_are_one_matrix():
    decoder = make_model().decoder
    assert decoder.output.weight is decoder.embedding.weight


@pytest.mark.parametrize("order", EVERY_ORDER)
def test_forcing_almost_always_is_forcing(order):
    # With a share just below 1 the model goes word by word, but always draws the gold word.
    model = make_model(order)
    forced, word_by_word = model(BATCH), model(BATCH, teacher_forcing=1 - 1e-9)
    assert torch.allclose(forced[0], word_by_word[0], atol=1e-5)
    assert torch.allclose(forced[1], word_by_word[1], atol=1e-5)


@pytest.mark.parametrize("order", EVERY_ORDER)
def test_free_running_never_reads_the_gold_words(order):
    model = make_model(order)
    other = make_batch("a b > h a g", "c a d > b", "e f g h a b > e e e e", "b > a a a a a a")
    assert torch.equal(model(BATCH, teacher_forcing=0)[0], model(other, teacher_forcing=0)[0])
    assert not torch.equal(model(BATCH)[0], model(other)[0])


def test_free_running_reads_what_greedy_writes():
    model = make_model("Bahdanau")
    free, _ = model(BATCH, teacher_forcing=0)
    own = model.decoder.output(free).argmax(-1)  # (batch, tgt_len)
    for row, hypothesis in enumerate(model.greedy(BATCH.source, BATCH.source_lengths)):
        written = [*hypothesis.ids, EOS][: own.shape[1]]
        assert own[row, : len(written)].tolist() == written


def test_scheduled_sampling_mixes_both():
    model = make_model()
    torch.manual_seed(0)
    mixed, _ = model(BATCH, teacher_forcing=0.5)
    torch.manual_seed(0)
    assert torch.equal(mixed, model(BATCH, teacher_forcing=0.5)[0])
    for extreme in (0.0, 1.0):
        assert not torch.allclose(mixed, model(BATCH, teacher_forcing=extreme)[0])


# Decoding


def test_evaluating_switches_dropout_and_gradients_off_and_back():
    model = make_model(dropout=0.5)
    for training in (True, False):
        model.train(training)
        with evaluating(model):
            assert not model.decoder.dropout.training
            assert not torch.is_grad_enabled()
        assert model.training == model.decoder.dropout.training == training
        with pytest.raises(KeyError), evaluating(model):
            raise KeyError  # whatever happens inside
        assert model.training == model.decoder.dropout.training == training
        assert torch.is_grad_enabled()


SENTENCES = ["a b", "h", "c d e f g h a", "b b b", "e f g", "d", "a h b g"]


@cache
def trained_model(order):
    """Return a model that is learning to write its source backwards.

    It is trained just long enough for its translations to depend on the source.
    """
    model = make_model(order).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    dice = random.Random(0)
    for _ in range(60):
        letters = [dice.choices("abcdefgh", k=dice.randint(1, 5)) for _ in range(32)]
        batch = make_batch(*(f"{' '.join(row)} > {' '.join(row[::-1])}" for row in letters))
        optimizer.zero_grad()
        model.losses(batch).mean().backward()
        optimizer.step()
    return model.eval()


def search(model, sentences, beam_size):
    """Translate sentences in one batch: with beam search, or greedily if `beam_size` is 0."""
    ids = [torch.tensor(WORDS.encode(sentence.split())) for sentence in sentences]
    source = nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=PAD)
    lengths = torch.tensor([len(sentence) for sentence in ids])
    return model.beam(source, lengths, beam_size) if beam_size else model.greedy(source, lengths)


def assert_same(actual, expected):
    assert actual.ids == expected.ids
    assert torch.allclose(actual.weights, expected.weights, atol=1e-5)
    assert actual.score == pytest.approx(expected.score, abs=1e-4)


@pytest.mark.parametrize("beam_size", [0, 1, 4])
@pytest.mark.parametrize("order", EVERY_ORDER)
def test_a_batch_is_decoded_as_one_sentence_at_a_time(order, beam_size):
    model = trained_model(order)
    lengths = set()
    for sentence, together in zip(SENTENCES, search(model, SENTENCES, beam_size), strict=True):
        assert_same(together, search(model, [sentence], beam_size)[0])
        src_len = 0 if order == "fixed vector" else len(sentence.split())
        assert together.weights.shape == (len(together.ids), src_len)
        lengths.add(len(together.ids))
    assert len(lengths) > 1, "sentences that end together cannot show that one leaves the batch"


def assert_a_beam_of_one_is_greedy(model):
    both = zip(search(model, SENTENCES, 0), search(model, SENTENCES, 1), strict=True)
    for greedy, beam in both:
        assert_same(beam, greedy)


@every_model
def test_a_beam_of_one_is_greedy(order, mechanism):
    assert_a_beam_of_one_is_greedy(make_model(order, mechanism.make() if mechanism else None))


@pytest.mark.parametrize("order", EVERY_ORDER)
def test_a_beam_of_one_is_greedy_in_a_trained_model(order):
    assert_a_beam_of_one_is_greedy(trained_model(order))


@pytest.mark.parametrize("beam_size", [0, 3])
@pytest.mark.parametrize("order", EVERY_ORDER)
def test_what_was_found_gets_its_weights_and_its_score_when_it_is_forced(order, beam_size):
    model = trained_model(order)
    for sentence, hypothesis in zip(SENTENCES, search(model, SENTENCES, beam_size), strict=True):
        words = [WORDS.words[index] for index in hypothesis.ids]
        (batch,) = Batches([Pair(tuple(sentence.split()), tuple(words), "", "")], WORDS, WORDS)
        # The target is set to the ids themselves: encoding words would lose special ones, which an
        # untrained model may write.
        target = torch.tensor([[SOS, *hypothesis.ids, EOS]])
        batch = type(batch)(batch.source, batch.source_lengths, target, batch.pairs)
        _, weights = model(batch)
        assert torch.allclose(weights[0, :-1], hypothesis.weights, atol=1e-5)
        memory, state = model.start(batch.source, batch.source_lengths)
        readouts, _, _ = model.decoder(batch.decoder_input, memory, state)
        log_probs = model.decoder.output(readouts[0]).log_softmax(-1)
        cut_off = len(hypothesis.ids) == 2 * len(sentence.split()) + 10
        tokens = hypothesis.ids if cut_off else [*hypothesis.ids, EOS]
        expected_score = log_probs[range(len(tokens)), tokens].mean().item()
        assert hypothesis.score == pytest.approx(expected_score, abs=1e-4)


def test_a_translation_that_does_not_end_is_cut_off():
    model = make_model()
    with torch.no_grad():
        model.decoder.output.bias[EOS] = -100
    for beam_size in (0, 3):
        for sentence, hypothesis in zip(
            SENTENCES, search(model, SENTENCES, beam_size), strict=True
        ):
            assert len(hypothesis.ids) == 2 * len(sentence.split()) + 10


def test_the_keys_are_projected_once_a_batch(monkeypatch):
    model = make_model("Bahdanau", MECHANISMS["additive"].make())
    calls = []
    project = model.decoder.attention.project_keys
    monkeypatch.setattr(
        model.decoder.attention, "project_keys", lambda keys: calls.append(1) or project(keys)
    )
    search(model, SENTENCES, 0)
    search(model, SENTENCES, 3)
    model(BATCH)
    assert len(calls) == 3


class Table(FixedVectorDecoder):
    """A decoder that ignores the source: probabilities depend on the last word only.

    Args:
        probabilities: word → next word → probability; "<" is the start, ">" the end of a sentence.
    """

    def __init__(self, probabilities):
        super().__init__(len(WORDS), 6, DIM, DIM)
        table = torch.full((len(WORDS), len(WORDS)), -30.0)
        for before, following in probabilities.items():
            for after, probability in following.items():
                row, column = (
                    {"<": SOS, ">": EOS}.get(w) or WORDS.encode([w])[0] for w in (before, after)
                )
                table[row, column] = math.log(probability)
        self.output = nn.Linear(len(WORDS), len(WORDS), bias=False)
        self.output.weight = nn.Parameter(table.T)
        self.output.bias = nn.Parameter(torch.zeros(len(WORDS)))

    def forward(self, words, memory, state):
        readouts = F.one_hot(words, len(WORDS)).float()
        return readouts, readouts.new_zeros(*words.shape, 0), state


def table_model(probabilities):
    return Seq2Seq(Encoder(len(WORDS), 6, DIM // 2), Table(probabilities), WORDS, WORDS)


def written(hypothesis):
    return "".join(WORDS.words[index] for index in hypothesis.ids)


def test_a_beam_finds_what_greedy_walks_past():
    # "a" looks better at first, but every way on from it is unlikely.
    model = table_model(
        {
            "<": {"a": 0.55, "b": 0.45},
            "a": {"c": 0.4, "d": 0.3, "e": 0.3},
            "b": {"d": 0.95, "c": 0.05},
            "c": {">": 1.0},
            "d": {">": 1.0},
            "e": {">": 1.0},
        }
    )
    (greedy,), (beam,) = search(model, ["a"], 0), search(model, ["a"], 2)
    assert (written(greedy), written(beam)) == ("ac", "bd")
    assert greedy.score == pytest.approx(math.log(0.55 * 0.4) / 3, abs=1e-4)
    assert beam.score == pytest.approx(math.log(0.45 * 0.95) / 3, abs=1e-4)


def test_a_beam_compares_by_log_probability_per_token():
    # The empty translation is likelier as a whole (0.4 > 0.36), but not word for word.
    model = table_model(
        {"<": {">": 0.4, "a": 0.36, "c": 0.24}, "a": {"b": 1.0}, "b": {">": 1.0}, "c": {"c": 1.0}}
    )
    (beam,) = search(model, ["a"], 2)
    assert written(beam) == "ab"
    assert beam.score == pytest.approx(math.log(0.36) / 3, abs=1e-4)


def test_a_beam_wider_than_the_vocabulary_works():
    model = table_model({"<": {"a": 0.6, ">": 0.4}, "a": {">": 1.0}})
    (beam,) = search(model, ["a"], 6)  # 2 * 6 candidates at the first step, but only 12 words
    assert written(beam) == "a"


def test_a_beam_below_one_is_refused():
    with pytest.raises(ValueError, match="beam_size must be 1 or more, got 0"):
        make_model().beam(torch.tensor([[4]]), torch.tensor([1]), beam_size=0)


# Translation


def test_translate_returns_words_and_weights_over_exactly_the_source_words():
    model = make_model()
    for sentence in ("a b c", "A b, c!", "zebra", "h"):
        translation = model.translate(sentence)
        assert translation.weights.shape == (len(translation.words), len(translation.source))
        assert all(isinstance(word, str) for word in translation.words)
        assert torch.allclose(translation.weights.sum(-1), torch.ones(len(translation.words)))
    assert model.translate("A b, c!").source == ["a", "b", ",", "c", "!"]
    assert model.translate(("ab", "c d")).source == ["ab", "c d"]  # tokens are taken as they are


@pytest.mark.parametrize("beam_size", [1, 3])
def test_an_empty_line_has_an_empty_translation(beam_size):
    model = make_model()
    translations = model.translate_all(["", "a b", " \t "], beam_size)
    assert [t.source for t in translations] == [[], ["a", "b"], []]
    assert translations[0].words == translations[2].words == []
    assert translations[0].weights.shape == (0, 0)
    assert model.translate_all([]) == []


def test_many_sentences_come_back_in_their_own_order():
    model = make_model()
    sentences = SENTENCES * (TOGETHER // len(SENTENCES) + 1)  # more than one batch
    translations = model.translate_all(sentences)
    for sentence, translation in zip(sentences, translations, strict=True):
        alone = model.translate(sentence)
        assert translation.words == alone.words
        assert translation.source == sentence.split()
        assert torch.allclose(translation.weights, alone.weights, atol=1e-5)


def always_unknown(order):
    """Return a model that writes the unknown word three times, and then ends its sentence."""
    model = make_model(order)
    counts = iter([0, 0, 0, 1])

    def output(readouts):
        logits = torch.zeros(len(readouts), len(WORDS))
        logits[:, EOS if next(counts) else UNK] = 9
        return logits

    model.decoder.output.forward = output
    return model


def test_unknown_words_are_copied_through_the_alignment():
    translation = always_unknown("Luong").translate("zürich geneva basel")
    places = translation.weights.argmax(-1).tolist()
    assert len(places) == 3
    assert translation.words == [translation.source[place] for place in places]


def test_without_attention_unknown_words_stay_and_there_are_no_weights():
    translation = always_unknown("fixed vector").translate("zürich geneva")
    assert translation.words == ["<unk>"] * 3
    assert translation.weights.shape == (3, 0)
