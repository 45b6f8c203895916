"""Translation with attention: encoder, decoders, and the search for the best translation.

    encoder = Encoder(len(source_vocabulary), embedding_dim=64, hidden_dim=64)
    decoder = LuongDecoder(len(target_vocabulary), 64, DotProductAttention(encoder.output_dim))
    model = Seq2Seq(encoder, decoder, source_vocabulary, target_vocabulary)
    ...                                        # train it: utils.training
    model.translate("The cat sat on the mat")  # words, weights, source

The three decoders differ in when they attend to the source:

| decoder | at each step | source |
|---|---|---|
| `FixedVectorDecoder` | never: one vector of the whole source is fed in | Cho et al. 2014 |
| `BahdanauDecoder` | attend with the old state, then update the state | Bahdanau et al. 2015 |
| `LuongDecoder` | update the state, then attend with the new one | Luong et al. 2015 |

If no state depends on a context (fixed vector, Luong), a decoder that is given all the words takes
all steps at once: one call to the recurrent network, one to the attention. Every decoder makes one
output projection for all steps.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from utils.attention import Attention
from utils.corpora import EOS, PAD, SOS, UNK, Batch, Vocabulary, pad_ids, tokenise
from utils.masks import padding_mask

TOGETHER = 128  # sentences that are translated in one batch


class Encoded(NamedTuple):
    """A batch of sources as the encoder returns it.

    Attributes:
        states: h_j, the states of both directions side by side (batch, src_len, output_dim).
        summary: the last state of each direction, side by side (batch, output_dim).
        mask: (batch, 1, src_len), True for words, False for padding.
    """

    states: Float[Tensor, "batch src_len output_dim"]
    summary: Float[Tensor, "batch output_dim"]
    mask: Tensor


class DecoderState(NamedTuple):
    """The state of a decoder between two steps.

    Attributes:
        hidden: s_t (batch, hidden_dim).
        cell: the LSTM's own memory (batch, hidden_dim).
        position: the number of words read.
    """

    hidden: Float[Tensor, "batch hidden_dim"]
    cell: Float[Tensor, "batch hidden_dim"]
    position: int


class Hypothesis(NamedTuple):
    """A translation as word ids, from greedy or beam search.

    Attributes:
        ids: the ids of its words, without `<eos>`.
        weights: (tgt_len, src_len), a row for each id; without attention, src_len is 0.
        score: mean log-probability of its tokens, `<eos>` included.
    """

    ids: list[int]
    weights: Float[Tensor, "tgt_len src_len"]
    score: float


class Translation(NamedTuple):
    """A translation as words, with all that an alignment heatmap needs.

    Attributes:
        words: the words of the translation.
        weights: a row for each word, a column for each source word (no columns without attention).
        source: the source words.
    """

    words: list[str]
    weights: Float[Tensor, "words source"]
    source: list[str]


def _word_vectors(vocab_size: int, dim: int) -> nn.Embedding:
    """Make an embedding (vocab_size, dim) with an initial scale of 0.3 instead of PyTorch's 1.

    Large initial vectors hardly move in training, so a rare word would keep its initial noise. As
    rows of the output projection, large vectors would also make huge logits.
    """
    embedding = nn.Embedding(vocab_size, dim)
    nn.init.normal_(embedding.weight, std=0.3)
    return embedding


class Encoder(nn.Module):
    """A bidirectional LSTM over the source words.

    It never reads padding: the backward direction starts at each sentence's own last word.
    Source: Bahdanau et al. 2015, section 3.2.

    Args:
        vocab_size: number of source words.
        embedding_dim: width of the embedding.
        hidden_dim: width of each direction.
        dropout: share of the embedding's and the states' entries set to 0 in training.
    """

    def __init__(self, vocab_size: int, embedding_dim: int, hidden_dim: int, dropout: float = 0.0):
        super().__init__()
        self.embedding = _word_vectors(vocab_size, embedding_dim)
        self.rnn = nn.LSTM(embedding_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.output_dim = 2 * hidden_dim

    def forward(
        self, source: Int[Tensor, "batch src_len"], lengths: Int[Tensor, " batch"]
    ) -> Encoded:
        """Encode a padded batch.

        Args:
            source: word ids (batch, src_len).
            lengths: the number of words in each row, on the CPU.

        Raises:
            ValueError: a row has no words.
        """
        if lengths.min() < 1:
            raise ValueError(
                f"every source needs at least one word, but row {int(lengths.argmin())} has none; "
                "leave out empty lines (translate does)"
            )
        embedded = self.dropout(self.embedding(source))  # (batch, src_len, embedding_dim)
        if lengths.min() == source.shape[1]:  # no padding: packing would only take time
            states, (last, _) = self.rnn(embedded)  # (batch, src_len, output_dim)
        else:
            packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
            packed_states, (last, _) = self.rnn(packed)
            states, _ = pad_packed_sequence(
                packed_states, batch_first=True, total_length=source.shape[1]
            )  # (batch, src_len, output_dim)
        summary = torch.cat([*last], dim=-1)  # (2, batch, hidden_dim) to (batch, output_dim)
        mask = padding_mask(lengths.to(source.device), source.shape[1])  # (batch, 1, src_len)
        return Encoded(self.dropout(states), summary, mask)


class Decoder(nn.Module):
    """Base class of all decoders: embedding, recurrent network, readout, output projection.

    A subclass decides in `step` whether to attend before or after it updates its state. The output
    projection shares its weights with the embedding: a word is likely if the readout points in the
    direction of its vector. Sharing keeps the projection, by far the largest cost, as narrow as the
    embedding.
    Source: Press and Wolf 2017.

    Args:
        vocab_size: number of target words.
        embedding_dim: width of the embedding and of the readout.
        hidden_dim: width of the state.
        summary_dim: width of the encoder's summary.
        context_dim: width of the context that the readout gets in addition to the state.
        feed_dim: width of the vector that the LSTM is fed in addition to the word.
        dropout: share of the embedding's and the readout's entries set to 0 in training.
    """

    all_at_once = True  # whether `step` can take any number of words in one call

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        hidden_dim: int,
        summary_dim: int,
        context_dim: int,
        feed_dim: int,
        dropout: float,
    ):
        super().__init__()
        self.summary_dim = summary_dim
        self.rnn = nn.LSTM(embedding_dim + feed_dim, hidden_dim, batch_first=True)
        self.bridge = nn.Linear(summary_dim, 2 * hidden_dim)
        self.readout = nn.Linear(hidden_dim + context_dim, embedding_dim)
        self.embedding = _word_vectors(vocab_size, embedding_dim)
        self.output = nn.Linear(embedding_dim, vocab_size)
        self.output.weight = self.embedding.weight
        self.dropout = nn.Dropout(dropout)

    def remember(self, encoded: Encoded) -> NamedTuple:
        """Return all that a step needs of the source, computed once for all steps."""
        raise NotImplementedError

    def start(self, encoded: Encoded) -> DecoderState:
        """Return the state before the first word, tanh(W summary): Bahdanau et al. 2015, A.2.2."""
        hidden, cell = self.bridge(encoded.summary).tanh().chunk(2, dim=-1)  # (batch, hidden_dim)
        return DecoderState(hidden, cell, position=0)

    def step(
        self,
        embedded: Float[Tensor, "batch tgt_len embedding_dim"],
        memory: NamedTuple,
        state: DecoderState,
    ) -> tuple[Tensor, Tensor, DecoderState]:
        """Attend and update the state for the next word of each row.

        If `all_at_once` is True, the call may be for several words of each row.

        Args:
            embedded: the embedded words.
            memory: the result of `remember`.
            state: the state before these words.

        Returns:
            Contexts and states side by side (batch, tgt_len, context_dim + hidden_dim), which
            `read` turns into readouts; the weights (batch, tgt_len, src_len); and the state after
            the last word.
        """
        raise NotImplementedError

    def forward(
        self, words: Int[Tensor, "batch tgt_len"], memory: NamedTuple, state: DecoderState
    ) -> tuple[Tensor, Tensor, DecoderState]:
        """Read `words`, and after each one predict the next.

        Args:
            words: ids of the words.
            memory: the result of `remember`.
            state: the state before these words.

        Returns:
            The readouts (batch, tgt_len, embedding_dim), which `output` turns into logits; the
            weights (batch, tgt_len, src_len); and the state after the last word.
        """
        embedded = self.dropout(self.embedding(words))  # (batch, tgt_len, embedding_dim)
        outcomes = []
        for piece in [embedded] if self.all_at_once else embedded.split(1, dim=1):
            *outcome, state = self.step(piece, memory, state)
            outcomes.append(outcome)
        both, weights = (torch.cat(parts, dim=1) for parts in zip(*outcomes, strict=True))
        return self.dropout(self.read(both)), weights, state

    def update(
        self, inputs: Float[Tensor, "batch tgt_len input_dim"], state: DecoderState
    ) -> tuple[Tensor, DecoderState]:
        """Run the LSTM; return its outputs (batch, tgt_len, hidden_dim) and its last state."""
        tgt_len = inputs.shape[1]
        if tgt_len == 1:  # faster than calling the network
            before = (state.hidden, state.cell)
            hidden, cell = torch.lstm_cell(inputs[:, 0], before, *self.rnn.all_weights[0])
            states = hidden.unsqueeze(1)  # (batch, 1, hidden_dim)
        else:  # the network has one more axis in front, for its one layer
            before = (state.hidden[None].contiguous(), state.cell[None].contiguous())
            states, ((hidden,), (cell,)) = self.rnn(inputs, before)
        return states, DecoderState(hidden, cell, state.position + tgt_len)

    def read(self, both: Float[Tensor, "batch tgt_len both_dim"]) -> Tensor:
        """Return the readouts tanh(W [c; s]) (batch, tgt_len, embedding_dim).

        `both` has each context c beside its state s. Source: Luong et al. 2015, equation 5.
        """
        return self.readout(both).tanh()


class FixedVectorDecoder(Decoder):
    """The decoder without attention: one vector has to hold the whole source.

    The vector initialises the state, and is fed to the LSTM and to the readout at every step, so
    the state does not have to carry it. The weights that it returns have no columns.
    Source: Cho et al. 2014, section 2.2; the bottleneck of Bahdanau et al. 2015, section 1.

    Args:
        vocab_size: number of target words.
        embedding_dim: width of the embedding and of the readout.
        hidden_dim: width of the state.
        summary_dim: width of the encoder's summary, its `output_dim`.
        dropout: share of the embedding's and the readout's entries set to 0 in training.
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        hidden_dim: int,
        summary_dim: int,
        dropout: float = 0.0,
    ):
        super().__init__(
            vocab_size,
            embedding_dim,
            hidden_dim,
            summary_dim,
            context_dim=summary_dim,
            feed_dim=summary_dim,
            dropout=dropout,
        )

    def remember(self, encoded):
        return encoded

    def step(self, embedded, memory, state):
        tgt_len = embedded.shape[1]
        contexts = memory.summary.unsqueeze(1).expand(-1, tgt_len, -1)
        states, state = self.update(torch.cat([embedded, contexts], dim=-1), state)
        no_weights = states.new_zeros(len(states), tgt_len, 0)
        return torch.cat([contexts, states], dim=-1), no_weights, state


class AttentionDecoder(Decoder):
    """Base class of decoders with attention: states are the queries, encoder states the keys.

    Args:
        vocab_size: number of target words.
        embedding_dim: width of the embedding and of the readout.
        attention: any mechanism. Its `query_dim` is also the width of the decoder's state, and its
            `key_dim` must be the encoder's `output_dim`.
        dropout: share of the embedding's and the readout's entries set to 0 in training.
    """

    def __init__(
        self, vocab_size: int, embedding_dim: int, attention: Attention, dropout: float = 0.0
    ):
        super().__init__(
            vocab_size,
            embedding_dim,
            hidden_dim=attention.query_dim,
            summary_dim=attention.key_dim,
            context_dim=attention.context_dim,
            feed_dim=0 if self.all_at_once else attention.context_dim,
            dropout=dropout,
        )
        self.attention = attention

    def remember(self, encoded):
        return self.attention.remember(encoded.states, mask=encoded.mask)


class BahdanauDecoder(AttentionDecoder):
    """A decoder that attends with the old state, then updates the state with the context.

        c_t = attention(s_{t-1}),    s_t = rnn([y_{t-1}; c_t], s_{t-1})

    Each step has to wait for the previous step. Source: Bahdanau et al. 2015, section 3.1. (The
    mechanism of the paper is `AdditiveAttention`. Luong's tanh replaces the paper's maxout readout,
    so that the decoders differ only in the order of attention and update.)
    """

    all_at_once = False

    def step(self, embedded, memory, state):
        query = state.hidden.unsqueeze(1)  # (batch, 1, hidden_dim)
        context, weights = self.attention.attend(query, memory, position=state.position)
        states, state = self.update(torch.cat([embedded, context], dim=-1), state)
        return torch.cat([context, states], dim=-1), weights, state


class LuongDecoder(AttentionDecoder):
    """A decoder that updates its state with the word, then attends with the new state.

        s_t = rnn(y_{t-1}, s_{t-1}),    c_t = attention(s_t)

    No state depends on a context, so the whole target is trained on at once. Source: Luong et al.
    2015, section 3.1, without the input feeding of section 3.3, which would make each step wait for
    the previous step.
    """

    def step(self, embedded, memory, state):
        position = state.position
        states, state = self.update(embedded, state)  # (batch, tgt_len, hidden_dim)
        contexts, weights = self.attention.attend(states, memory, position=position)
        return torch.cat([contexts, states], dim=-1), weights, state


class Seq2Seq(nn.Module):
    """A model that translates: an encoder, a decoder, and the source and target vocabularies.

    Raises:
        ValueError: the widths of encoder and decoder, or a vocabulary and its embedding, differ.
    """

    def __init__(
        self,
        encoder: Encoder,
        decoder: Decoder,
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
    ):
        super().__init__()
        if decoder.summary_dim != encoder.output_dim:
            raise ValueError(
                f"the encoder's states are {encoder.output_dim} wide (two directions), but the "
                f"decoder was made for {decoder.summary_dim}: give its attention "
                f"key_dim={encoder.output_dim}"
            )
        for name, vocabulary, embedding in (
            ("source", source_vocabulary, encoder.embedding),
            ("target", target_vocabulary, decoder.embedding),
        ):
            if len(vocabulary) != embedding.num_embeddings:
                raise ValueError(
                    f"the {name} vocabulary has {len(vocabulary)} words, but its embedding has "
                    f"{embedding.num_embeddings}: pass vocab_size=len({name}_vocabulary)"
                )
        self.encoder = encoder
        self.decoder = decoder
        self.source_vocabulary = source_vocabulary
        self.target_vocabulary = target_vocabulary

    @property
    def device(self) -> torch.device:
        """Return the device of the parameters."""
        return self.decoder.output.bias.device

    def start(self, source: Tensor, lengths: Tensor) -> tuple[NamedTuple, DecoderState]:
        """Return the decoder's memory of the source, and its state before the first word."""
        encoded = self.encoder(source.to(self.device), lengths)
        return self.decoder.remember(encoded), self.decoder.start(encoded)

    def forward(self, batch: Batch, teacher_forcing: float = 1.0) -> tuple[Tensor, Tensor]:
        """Predict the targets of a batch, word by word.

        Args:
            batch: sources and targets.
            teacher_forcing: the share of steps at which the decoder reads the previous gold word;
                at the other steps it reads its own prediction. 1 is teacher forcing, 0 is free
                running, anything between is scheduled sampling (Bengio et al. 2015).

        Returns:
            The readouts (batch, tgt_len, embedding_dim), which `decoder.output` turns into logits,
            and the weights (batch, tgt_len, src_len).
        """
        memory, state = self.start(batch.source, batch.source_lengths)
        gold = batch.decoder_input.to(self.device)
        if teacher_forcing == 1:
            readouts, weights, _ = self.decoder(gold, memory, state)
            return readouts, weights
        outcomes = []
        word = gold[:, :1]
        for following in [*gold[:, 1:].split(1, dim=1), None]:
            *outcome, state = self.decoder(word, memory, state)  # readout (batch, 1, embedding_dim)
            outcomes.append(outcome)
            if following is not None:
                own = self.decoder.output(outcome[0].detach()).argmax(-1)  # (batch, 1)
                forced = torch.rand(own.shape, device=own.device) < teacher_forcing
                word = torch.where(forced, following, own)
        readouts, weights = (torch.cat(parts, dim=1) for parts in zip(*outcomes, strict=True))
        return readouts, weights

    def losses(
        self, batch: Batch, teacher_forcing: float = 1.0, label_smoothing: float = 0.0
    ) -> Float[Tensor, " tokens"]:
        """Return the cross-entropy of each target word and `<eos>`, row after row, without padding.

        Args:
            batch, teacher_forcing: as for `forward`.
            label_smoothing: share of the target probability spread over all words.
        """
        readouts, _ = self(batch, teacher_forcing)
        labels = batch.labels.to(self.device)
        real = labels != PAD  # drop padding before the projection, which is the largest cost
        logits = self.decoder.output(readouts[real])  # (tokens, vocab_size)
        return F.cross_entropy(
            logits, labels[real], reduction="none", label_smoothing=label_smoothing
        )

    def greedy(self, source: Tensor, lengths: Tensor) -> list[Hypothesis]:
        """Translate a whole batch by writing the most likely word of each sentence at each step.

        A finished sentence leaves the batch. A translation that does not end is cut off at twice
        the length of its source plus ten words.

        Args:
            source: word ids, (batch, src_len).
            lengths: the number of words in each row, on the CPU.
        """
        batch = len(source)
        steps = []
        with evaluating(self):
            memory, state = self.start(source, lengths)
            words = torch.full((batch, 1), SOS, device=self.device)
            rows = torch.arange(batch, device=self.device)  # the sentences still being written
            limits = _length_limits(lengths).to(self.device)
            scores = torch.zeros(batch, device=self.device)
            while len(rows):
                readouts, weights, state = self.decoder(words, memory, state)
                log_probs = self.decoder.output(readouts[:, 0]).log_softmax(-1)  # (rows, vocab)
                best, words = log_probs.max(-1, keepdim=True)  # (rows, 1)
                steps.append((rows, words[:, 0], weights[:, 0]))
                scores[rows] += best[:, 0]
                going = (words[:, 0] != EOS) & (len(steps) < limits[rows])
                if not going.all():
                    scores[rows[~going]] /= len(steps)
                    keep = going.nonzero()[:, 0]
                    rows, words = rows[keep], words[keep]
                    memory, state = _pick(memory, keep), _pick(state, keep)
        ids = torch.full((batch, len(steps)), EOS, device=self.device)
        all_weights = weights.new_zeros(batch, len(steps), weights.shape[-1])
        for step, (rows, words, weights) in enumerate(steps):
            ids[rows, step], all_weights[rows, step] = words, weights
        return [
            _hypothesis(*parts) for parts in zip(ids, all_weights, scores, lengths, strict=True)
        ]

    def beam(self, source: Tensor, lengths: Tensor, beam_size: int = 5) -> list[Hypothesis]:
        """Translate a batch by keeping the `beam_size` best partial translations of each sentence.

        Finished translations are compared by their log-probability per token, since the plain sum
        favours short translations. A sentence is done when `beam_size` translations of it are
        finished, or at the length at which `greedy` would cut it off. A beam of 1 is `greedy`.
        Source: Sutskever et al. 2014, section 3.2; Wu et al. 2016, section 7, for the length.

        Args:
            source: word ids, (batch, src_len).
            lengths: the number of words in each row, on the CPU.
            beam_size: number of partial translations to keep.

        Raises:
            ValueError: `beam_size` is below 1.
        """
        if beam_size < 1:
            raise ValueError(f"beam_size must be 1 or more, got {beam_size}")
        finished: list[list[Hypothesis]] = [[] for _ in source]
        with evaluating(self):
            memory, state = self.start(source, lengths)
            sentences = torch.arange(len(source), device=self.device)  # still being written
            limits = _length_limits(lengths).to(self.device)
            rows = sentences.repeat_interleave(beam_size)  # each sentence takes beam_size rows
            memory, state = _pick(memory, rows), _pick(state, rows)
            beams = _Beams.start(len(source), beam_size, self.device)
            while len(sentences):
                readouts, weights, state = self.decoder(beams.last_words, memory, state)
                log_probs = self.decoder.output(readouts[:, 0]).log_softmax(-1)  # (rows, vocab)
                candidates, parents = beams.grow(log_probs, weights)
                # At most beam_size of the 2 * beam_size candidates end here: enough remain.
                ended = candidates.ids[..., -1] == EOS  # (sentences, 2 * beam_size)
                live = ended.int().argsort(dim=1, stable=True)[:, :beam_size]
                cut = limits[sentences] == candidates.length  # (sentences,)
                numbers = sentences.tolist()
                for row, slot in (ended | cut.unsqueeze(1))[:, :beam_size].nonzero().tolist():
                    sentence = numbers[row]
                    finished[sentence].append(candidates.hypothesis(row, slot, lengths[sentence]))
                going = [row for row, n in enumerate(numbers) if len(finished[n]) < beam_size]
                keep = torch.tensor(going, dtype=torch.long, device=self.device)
                beams = _pick(candidates.choose(live), keep)
                rows = keep.unsqueeze(1) * beam_size + parents.gather(1, live)[keep]
                state = _pick(state, rows.flatten())
                if len(keep) < len(sentences):
                    memory, sentences = _pick(memory, rows.flatten()), sentences[keep]
        return [max(ended, key=lambda hypothesis: hypothesis.score) for ended in finished]

    def translate_all(
        self, sentences: Sequence[str | Sequence[str]], beam_size: int = 1
    ) -> list[Translation]:
        """Translate many sentences as `translate` does, in batches of similar length."""
        sources = [
            list(tokenise(sentence) if isinstance(sentence, str) else sentence)
            for sentence in sentences
        ]
        # A line without words has an empty translation and is left out of the batches.
        translations = [Translation([], torch.zeros(0, 0), []) for _ in sources]
        by_length = sorted(
            (i for i, source in enumerate(sources) if source), key=lambda i: len(sources[i])
        )
        for start in range(0, len(by_length), TOGETHER):
            places = by_length[start : start + TOGETHER]
            ids, lengths = pad_ids([self.source_vocabulary.encode(sources[i]) for i in places])
            hypotheses = (
                self.greedy(ids, lengths) if beam_size == 1 else self.beam(ids, lengths, beam_size)
            )
            for i, hypothesis in zip(places, hypotheses, strict=True):
                words = [self.target_vocabulary.words[index] for index in hypothesis.ids]
                words = _copy_unknown(words, hypothesis, sources[i])
                translations[i] = Translation(words, hypothesis.weights, sources[i])
        return translations

    def translate(self, sentence: str | Sequence[str], beam_size: int = 1) -> Translation:
        """Translate a sentence, given as a person would type it.

        Each `<unk>` that the model writes is replaced with the source word of largest weight, which
        is right for names and numbers. Source: Jean et al. 2015, section 3.4.

        Args:
            sentence: a text, or its tokens if they are not words (letters, say). Words outside the
                vocabulary are read as `<unk>`. An empty line has an empty translation.
            beam_size: number of partial translations to keep; 1 is greedy search.

        Returns:
            The words, the weights with a row for each word and a column for each source word (no
            columns without attention), and the source words.
        """
        return self.translate_all([sentence], beam_size)[0]


class _Beams(NamedTuple):
    """Partial translations in a beam search, the same number of them for each sentence."""

    ids: Int[Tensor, "sentences beam length+1"]  # <sos> and the words
    weights: Float[Tensor, "sentences beam length src_len"] | None  # None before the first word
    scores: Float[Tensor, "sentences beam"]  # total log-probability

    @classmethod
    def start(cls, sentences: int, beam_size: int, device: torch.device) -> "_Beams":
        """Return beams without words for each sentence.

        All but the first score −inf: the others are equal to it, and would give the same words.
        """
        scores = torch.full((sentences, beam_size), -math.inf, device=device)
        scores[:, 0] = 0
        ids = torch.full((sentences, beam_size, 1), SOS, device=device)
        return cls(ids, None, scores)

    @property
    def length(self) -> int:
        """Return the number of words written in each beam."""
        return self.ids.shape[-1] - 1

    @property
    def last_words(self) -> Int[Tensor, "sentences*beam 1"]:
        """Return the id of the last word of each beam (sentences * beam, 1)."""
        return self.ids[..., -1].reshape(-1, 1)

    def choose(self, slots: Int[Tensor, "sentences chosen"]) -> "_Beams":
        """Return, for each sentence, the beams with the given indices (sentences, chosen)."""
        sentences = torch.arange(len(slots), device=slots.device).unsqueeze(1)
        return _Beams(*(None if part is None else part[sentences, slots] for part in self))

    def grow(self, log_probs: Tensor, weights: Tensor) -> tuple["_Beams", Tensor]:
        """Extend the beams by one word; return the 2 * beam best candidates for each sentence.

        Args:
            log_probs: log-probabilities of the next word, (sentences * beam, vocab_size).
            weights: the attention weights of this step, (sentences * beam, 1, src_len).

        Returns:
            The candidates, best first, and for each the index of the beam that it extends.
        """
        sentences, beam_size = self.scores.shape
        totals = self.scores.view(-1, 1) + log_probs  # (sentences * beam, vocab_size)
        scores, best = totals.view(sentences, -1).topk(2 * beam_size)  # (sentences, 2 * beam)
        parents, words = best // log_probs.shape[-1], best % log_probs.shape[-1]
        weights = weights.unflatten(0, (sentences, beam_size))  # (sentences, beam, 1, src_len)
        if self.weights is not None:
            weights = torch.cat([self.weights, weights], dim=2)
        grown = self._replace(weights=weights).choose(parents)
        ids = torch.cat([grown.ids, words.unsqueeze(-1)], dim=-1)
        return _Beams(ids, grown.weights, scores), parents

    def hypothesis(self, sentence: int, slot: int, src_len: Tensor) -> Hypothesis:
        """Return beam number `slot` of a sentence as a finished translation.

        Its weights have only the `src_len` columns of the source's words, without padding.
        """
        score = self.scores[sentence, slot] / self.length
        return _hypothesis(
            self.ids[sentence, slot, 1:], self.weights[sentence, slot], score, src_len
        )


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch dropout and gradients off inside the `with` block, then restore the model's mode."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


def _length_limits(lengths: Tensor) -> Tensor:
    """Return, for each source length, the length at which an endless translation is cut off."""
    return 2 * lengths + 10


Parts = TypeVar("Parts", bound=tuple)


def _pick(parts: Parts, rows: Int[Tensor, " rows"]) -> Parts:
    """Select rows of every tensor in a decoder's state or memory, or in beams."""
    return type(parts)(
        *(part.index_select(0, rows) if isinstance(part, Tensor) else part for part in parts)
    )


def _hypothesis(ids: Tensor, weights: Tensor, score: Tensor, src_len: Tensor) -> Hypothesis:
    """Make a `Hypothesis` without `<eos>`, without ids after it, and without padding's columns."""
    length = int((ids != EOS).sum())
    own = weights[:length, : int(src_len)].clone()  # a view would keep the whole batch in memory
    return Hypothesis(ids[:length].tolist(), own.cpu(), float(score))


def _copy_unknown(words: list[str], hypothesis: Hypothesis, source: list[str]) -> list[str]:
    """Replace each unknown word with the source word of largest weight."""
    if not hypothesis.weights.numel():  # without attention, no source word stands out
        return words
    looked_at = hypothesis.weights.argmax(-1).tolist()
    return [
        source[place] if index == UNK else word
        for index, word, place in zip(hypothesis.ids, words, looked_at, strict=True)
    ]
