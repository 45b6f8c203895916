"""Metrics: how focused attention is, and how good a translation is.

Every corpus metric takes lists with one entry per sentence, so `by_length` can apply it to the
sentences of one length at a time:

    by_length(exact_match, lengths, hypotheses, references)      # {1: 1.0, 2: 1.0, 3: 0.98, …}
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from utils.corpora import Batch, Pair
from utils.seq2seq import Seq2Seq, evaluating

ROUNDING = 1e-5  # by how much a weight may be above 1
Links = Iterable[tuple[int, int]]  # (source index, target index), as in `Pair`


def attention_entropy(weights: Float[Tensor, "... src_len"]) -> Float[Tensor, "..."]:
    """Return the entropy of each row of weights, in nats: how widely the row is spread.

    It is 0 when one position gets all the weight, log(n) when n positions share it equally; its exp
    is the effective number of positions attended to. A fully masked row has entropy 0.
    Source: Shannon 1948, section 6.

    Args:
        weights: attention weights, rows summing to 1 (or to 0 where fully masked). Other sums, as
            after a Gaussian, are taken as they are.

    Raises:
        ValueError: a number is negative or more than 1, as a score may be, or a weight that dropout
            has scaled up.
    """
    if (weights < 0).any() or (weights > 1 + ROUNDING).any():
        least, most = weights.min().item(), weights.max().item()
        raise ValueError(
            f"weights must lie between 0 and 1, got numbers from {least:.2f} to {most:.2f}: to "
            "scores apply softmax first, and turn dropout off with eval()"
        )
    return torch.special.entr(weights).sum(-1)  # entr(0) = 0, where -w log w alone would give NaN


def largest_weight(weights: Float[Tensor, "... src_len"]) -> Float[Tensor, "..."]:
    """Return the largest weight of each row: 1 for a hard choice, 1/n for n equal shares."""
    return weights.amax(-1)


def exact_match(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> float:
    """Return the share of hypotheses that equal their reference, token for token.

    Raises:
        TypeError: got a text instead of a list of sentences.
    """
    hypotheses, references = _aligned(hypotheses=hypotheses, references=references)
    matches = [
        list(hypothesis) == list(reference)
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    return sum(matches) / len(matches)


class Bleu(NamedTuple):
    """A BLEU score from 0 to 100, and how it was computed.

    Attributes:
        score: the score.
        signature: sacreBLEU's description of its settings: "case:lc" means that both sides were
            lowercased, "tok:13a" that sacreBLEU tokenised them itself.
    """

    score: float
    signature: str


def bleu(hypotheses: Sequence[str], references: Sequence[str]) -> Bleu:
    """Return corpus BLEU from 0 to 100, by sacreBLEU: lowercased, with its tokenisation "13a".

    sacreBLEU tokenises both sides itself, so give it texts as a person would write them:
    `detokenise(words)` against `pair.target_text`. Scores with another tokenisation or casing are
    not comparable. Source: Papineni et al. 2002; Post 2018.

    Raises:
        TypeError: got a text or tokens instead of a list of texts.
    """
    from sacrebleu.metrics import BLEU  # here, since it is slow to import and seldom needed

    hypotheses, references = _aligned(hypotheses=hypotheses, references=references)
    for text in (*hypotheses, *references):
        if not isinstance(text, str):
            raise TypeError(f"bleu needs texts, got {text!r}: apply detokenise to the words")
    # `force` silences a warning about texts that look as if nobody had detokenised them.
    scorer = BLEU(lowercase=True, tokenize="13a", force=True)
    score = scorer.corpus_score(hypotheses, [references]).score
    return Bleu(score, str(scorer.get_signature()))


def sentence_losses(
    model: Seq2Seq, batches: Iterable[Batch], teacher_forcing: float
) -> tuple[list[Pair], list[Float[Tensor, " tokens"]]]:
    """Return the pairs of the batches, and for each pair the losses of its target tokens.

    The target tokens are the words and `<eos>`.

    Args:
        model: the model that predicts the targets.
        batches: pairs as tensors.
        teacher_forcing: with 1 the model reads the previous gold words, with 0 its own words.

    Returns:
        The pairs, and for each pair the cross-entropy of each target token.
    """
    pairs, losses = [], []
    with evaluating(model):
        for batch in batches:
            counts = [len(pair.target) + 1 for pair in batch.pairs]  # 1 for <eos>
            pairs += batch.pairs
            losses += model.losses(batch, teacher_forcing).cpu().split(counts)
    return pairs, losses


def perplexity(losses: Sequence[Float[Tensor, " tokens"]]) -> float:
    """Return exp of the mean loss per token: the effective number of equally likely words.

    Whether the result is teacher-forced or free-running perplexity depends on how the losses were
    computed: see `sentence_losses`. A loss that is NaN gives NaN.

    Raises:
        ValueError: there is no token, or the losses are no tensors (tokens,), one a sentence.
    """
    losses = list(losses)
    if not all(isinstance(of_tokens, Tensor) and of_tokens.dim() == 1 for of_tokens in losses):
        raise ValueError(
            "losses must be a list with a tensor (tokens,) for each sentence: put that of a single "
            "sentence in a list"
        )
    if not sum(len(of_tokens) for of_tokens in losses):
        raise ValueError("losses of no token have no perplexity")
    mean = torch.cat(losses).double().mean().item()
    return math.inf if mean >= 700 else math.exp(mean)


def teacher_forced_perplexity(model: Seq2Seq, batches: Iterable[Batch]) -> float:
    """Return the perplexity of the gold words when the model always reads the previous gold word.

    Not comparable with `free_running_perplexity`, which is far higher.
    """
    return perplexity(sentence_losses(model, batches, teacher_forcing=1)[1])


def free_running_perplexity(model: Seq2Seq, batches: Iterable[Batch]) -> float:
    """Return the perplexity of the gold words when the model always reads its own previous word.

    Once its words differ from the gold ones, even a good translation counts as an error. Not
    comparable with `teacher_forced_perplexity`, which is far lower.
    """
    return perplexity(sentence_losses(model, batches, teacher_forcing=0)[1])


def forced_weights(
    model: Seq2Seq, batches: Iterable[Batch]
) -> tuple[list[Pair], list[Float[Tensor, "tgt_len src_len"]]]:
    """Return the pairs of the batches, and for each pair its weights under teacher forcing.

    Teacher forcing makes the rows those of the gold words, so that the weights can be compared with
    gold links: one row for each target word, one column for each source word.
    """
    pairs, all_weights = [], []
    with evaluating(model):
        for batch in batches:
            _, weights = model(batch)  # (batch, tgt_len, src_len)
            pairs += batch.pairs
            all_weights += [
                matrix[: len(pair.target), : len(pair.source)].cpu()
                for pair, matrix in zip(batch.pairs, weights, strict=True)
            ]
    return pairs, all_weights


def alignment_links(weights: Float[Tensor, "tgt_len src_len"]) -> set[tuple[int, int]]:
    """Link each target token to the source token with its largest weight.

    A token whose row is fully masked gets no link.

    Raises:
        ValueError: the weights are those of more than one sentence, or have no columns, as in a
            model without attention.
    """
    if weights.dim() != 2:
        raise ValueError(
            f"weights must be (tgt_len, src_len), got {tuple(weights.shape)}: give one sentence, "
            "and the mean of its heads or one of them"
        )
    if weights.shape[-1] == 0:
        raise ValueError("weights have no columns: a model without attention has no alignment")
    largest, sources = (column.tolist() for column in weights.max(-1))
    return {(sources[target], target) for target, weight in enumerate(largest) if weight > 0}


def alignment_error_rate(
    predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links]
) -> float:
    """Return 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) over a corpus: 0 is perfect, 1 is all wrong.

    A predicted link that is not possible is an error, and so is a missing sure link; a possible
    link may be predicted or not. Source: Och and Ney 2003, equation 26.

    Args:
        predicted: A, the links (source index, target index) of each sentence.
        sure: S, the gold links that must be there.
        possible: P, the gold links that may be there. Sure links count as possible too.

    Raises:
        ValueError: the lists differ in length, or a sentence has no gold links.
    """
    predicted, sure, possible = _aligned(predicted=predicted, sure=sure, possible=possible)
    right = total = 0
    for sentence, (a, s, p) in enumerate(zip(predicted, sure, possible, strict=True)):
        if s is None or p is None:
            raise ValueError(
                f"sentence {sentence} has no gold alignment; only generated corpora have one"
            )
        a, s = set(a), set(s)
        p = s | set(p)
        right += len(a & s) + len(a & p)
        total += len(a) + len(s)
    return 1 - right / total if total else 0.0


def by_length(
    metric: Callable[..., float], lengths: Sequence[int], *columns: Sequence
) -> dict[int, float]:
    """Apply a corpus metric to the sentences of each length separately.

    Args:
        metric: a corpus metric, such as `exact_match`.
        lengths: the length of each sentence in any unit, such as words or phrases.
        columns: the arguments of the metric, such as hypotheses and references, each with one entry
            per sentence.

    Returns:
        A dict from length to the metric's value.
    """
    named = {f"column {n}": column for n, column in enumerate(columns)}
    lengths, *columns = _aligned(lengths=lengths, **named)
    buckets = defaultdict(list)
    for length, *entries in zip(lengths, *columns, strict=True):
        buckets[length].append(entries)
    return {
        length: metric(*map(list, zip(*entries, strict=True)))
        for length, entries in sorted(buckets.items())
    }


def _aligned(**columns: Iterable) -> list[list]:
    """Return the columns as lists, which have one entry per sentence.

    Raises:
        TypeError: a column is a text, whose letters would be taken for its sentences.
        ValueError: a list is empty, or their lengths differ; the message has all sizes.
    """
    for name, column in columns.items():
        if isinstance(column, str):
            raise TypeError(f"{name} must be a list, got the text {column!r}: put it in a list")
    lists = {name: list(column) for name, column in columns.items()}
    sizes = {name: len(column) for name, column in lists.items()}
    if len(set(sizes.values())) != 1 or 0 in sizes.values():
        listed = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise ValueError(f"every list needs one entry per sentence, got {listed}")
    return [*lists.values()]
