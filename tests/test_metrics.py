import math

import pytest
import torch
from sacrebleu.metrics import BLEU

from utils.attention import DotProductAttention
from utils.corpora import Batches, Pair, Vocabulary
from utils.metrics import (
    alignment_error_rate,
    alignment_links,
    attention_entropy,
    bleu,
    by_length,
    exact_match,
    forced_weights,
    free_running_perplexity,
    largest_weight,
    perplexity,
    sentence_losses,
    teacher_forced_perplexity,
)
from utils.seq2seq import Encoder, FixedVectorDecoder, LuongDecoder, Seq2Seq

WORDS = Vocabulary(["a", "b", "c", "d"])
PAIRS = [
    Pair(tuple(source.split()), tuple(target.split()), "", "")
    for source, target in (("a b c", "d c"), ("b", "a a a d"), ("c a", "b"))
]
BATCHES = Batches(PAIRS, WORDS, WORDS, batch_size=2)


def make_model(seed=0):
    torch.manual_seed(seed)
    encoder = Encoder(len(WORDS), 6, 4)
    decoder = LuongDecoder(len(WORDS), 6, DotProductAttention(8))
    return Seq2Seq(encoder, decoder, WORDS, WORDS)


def test_exact_match_is_token_for_token():
    references = [("a", "b"), ("a", "b"), ("a", "b"), ()]
    assert exact_match([["a", "b"], ["a"], ["b", "a"], []], references) == 0.5


@pytest.mark.parametrize("columns", [([], []), (["a"], ["a", "b"])])
def test_lists_that_do_not_belong_together_are_refused(columns):
    sizes = f"{len(columns[0])} hypotheses, {len(columns[1])} references"
    for metric in (exact_match, bleu):
        with pytest.raises(ValueError, match=f"one entry per sentence, .*{sizes}"):
            metric(*columns)


def test_bleu_is_sacrebleu_s_and_says_how_it_was_computed():
    hypotheses = ["A man is walking, slowly.", "two dogs play in the snow"]
    references = ["a man is walking slowly .", "Two dogs are playing in the snow."]
    score, signature = bleu(hypotheses, references)
    assert score == BLEU(lowercase=True).corpus_score(hypotheses, [references]).score
    assert 20 < score < 80
    assert "case:lc" in signature
    assert "tok:13a" in signature
    assert bleu(references, references).score == pytest.approx(100)
    assert bleu([text.upper() for text in references], references).score == pytest.approx(100)


def test_bleu_of_tokens_is_refused():
    with pytest.raises(TypeError, match=r"bleu needs texts, .* apply detokenise"):
        bleu([["two", "dogs"]], ["two dogs"])


def test_one_text_is_refused_and_texts_may_come_one_by_one():
    texts = ["a man is walking slowly", "two dogs play in the snow"]
    for metric in (exact_match, bleu):
        with pytest.raises(TypeError, match="hypotheses must be a list, got the text 'two dogs'"):
            metric("two dogs", "two dogs")
        assert metric((text for text in texts), texts) == metric(texts, texts)


def test_perplexity_is_the_exponent_of_the_mean_over_tokens():
    losses = [torch.tensor([math.log(2), math.log(8)]), torch.tensor([math.log(4)])]
    assert perplexity(losses) == pytest.approx(4)  # not a mean over sentences
    assert perplexity([torch.tensor([1e4])]) == math.inf


def test_a_broken_run_is_not_merely_perplexed():
    assert math.isnan(perplexity([torch.tensor([1.0, math.nan])]))
    for no_list in (torch.ones(2), [0.5, 1.5]):
        with pytest.raises(ValueError, match=r"a tensor \(tokens,\) for each sentence"):
            perplexity(no_list)
    for nothing in ([], [torch.zeros(0)]):
        with pytest.raises(ValueError, match="no token"):
            perplexity(nothing)


def test_a_model_that_knows_nothing_is_as_perplexed_as_its_vocabulary_is_large():
    model = make_model()
    torch.nn.init.zeros_(model.decoder.output.weight)
    torch.nn.init.zeros_(model.decoder.output.bias)
    assert teacher_forced_perplexity(model, BATCHES) == pytest.approx(len(WORDS))
    assert free_running_perplexity(model, BATCHES) == pytest.approx(len(WORDS))


def test_the_two_perplexities_read_different_words():
    # This model nearly always repeats the last word, whatever the source: free running, it repeats
    # its first word; under teacher forcing, it reads the gold word before each step.
    class Repeats(FixedVectorDecoder):
        def forward(self, words, memory, state):
            one_hot = torch.nn.functional.one_hot(words, len(WORDS)).float()
            return one_hot, one_hot.new_zeros(*words.shape, 0), state

    a, b = WORDS.encode(["a", "b"])
    decoder = Repeats(len(WORDS), 6, 8, 8)
    decoder.output = torch.nn.Linear(len(WORDS), len(WORDS))
    torch.nn.init.zeros_(decoder.output.weight)
    torch.nn.init.zeros_(decoder.output.bias)
    with torch.no_grad():
        decoder.output.bias[a] = 1.0  # the first word
        decoder.output.weight[a, a] = decoder.output.weight[b, b] = 10.0
    model = Seq2Seq(Encoder(len(WORDS), 6, 4), decoder, WORDS, WORDS)
    batches = Batches([Pair(("c",), ("b", "b", "b", "b"), "", "")], WORDS, WORDS)
    assert free_running_perplexity(model, batches) > 10 * teacher_forced_perplexity(model, batches)


def test_sentence_losses_go_with_their_pairs():
    model = make_model().train()
    pairs, losses = sentence_losses(model, BATCHES, teacher_forcing=1)
    assert {pair.source for pair in pairs} == {pair.source for pair in PAIRS}
    assert [len(row) for row in losses] == [len(pair.target) + 1 for pair in pairs]
    for pair, row in zip(pairs, losses, strict=True):
        (batch,) = Batches([pair], WORDS, WORDS)
        assert torch.allclose(row, model.losses(batch), atol=1e-5)
    assert model.training
    expected = torch.cat(losses).mean().exp().item()
    assert teacher_forced_perplexity(model, BATCHES) == pytest.approx(expected, rel=1e-5)


def test_forced_weights_have_a_row_for_each_word_and_a_column_for_each_source_word():
    model = make_model()
    pairs, weights = forced_weights(model, BATCHES)
    for pair, matrix in zip(pairs, weights, strict=True):
        assert matrix.shape == (len(pair.target), len(pair.source))
        assert torch.allclose(matrix.sum(-1), torch.ones(len(pair.target)))
        (batch,) = Batches([pair], WORDS, WORDS)
        assert torch.allclose(matrix, model(batch)[1][0, :-1], atol=1e-5)
        assert not matrix.requires_grad


def test_links_go_from_source_to_target():
    weights = torch.tensor([[0.1, 0.8, 0.1], [0.1, 0.2, 0.7]])
    assert alignment_links(weights) == {(1, 0), (2, 1)}
    with pytest.raises(ValueError, match="a model without attention has no alignment"):
        alignment_links(torch.zeros(3, 0))


def test_links_are_those_of_one_sentence_and_of_rows_that_look_somewhere():
    weights = torch.tensor([[0.0, 0.0], [0.2, 0.8]])  # the first row is fully masked
    assert alignment_links(weights) == {(1, 1)}
    with pytest.raises(ValueError, match=r"got \(1, 2, 2\): give one sentence"):
        alignment_links(weights[None])


def test_alignment_error_rate_worked_out_by_hand():
    # the cat sat on the mat → le chat était assis sur le tapis
    sure = {(0, 0), (1, 1), (2, 3), (3, 4), (4, 5), (5, 6)}
    possible = sure | {(2, 2)}
    predicted = {(0, 0), (1, 1), (2, 2), (2, 3), (3, 4), (0, 5), (5, 6)}
    # Of 7 predicted, 5 are sure and 6 possible: (0, 5) took the other "the". There are 6 sure ones.
    assert alignment_error_rate([predicted], [sure], [possible]) == pytest.approx(1 - 11 / 13)
    assert alignment_error_rate([sure], [sure], [possible]) == 0
    assert alignment_error_rate([possible], [sure], [possible]) == 0  # possible ones are no errors
    assert alignment_error_rate([possible], [sure], [set()]) == pytest.approx(1 - 12 / 13)
    assert alignment_error_rate([{(9, 9)}], [sure], [possible]) == 1
    assert alignment_error_rate([set()], [set()], [set()]) == 0
    # The rate of a corpus counts links, and is no mean over sentences.
    both = alignment_error_rate([predicted, sure], [sure, sure], [possible, possible])
    assert both == pytest.approx(1 - 23 / 25)


def test_real_text_has_no_gold_alignment():
    with pytest.raises(ValueError, match="sentence 1 has no gold alignment"):
        alignment_error_rate([{(0, 0)}] * 2, [{(0, 0)}, None], [{(0, 0)}, None])


def test_a_metric_by_length():
    hypotheses, references = ["a", "b", "c", "d", "e"], ["a", "x", "c", "d", "y"]
    lengths = [1, 10, 3, 5, 6]
    each = by_length(exact_match, lengths, hypotheses, references)
    assert each == {1: 1.0, 3: 1.0, 5: 1.0, 6: 0.0, 10: 0.0}
    assert list(each) == [1, 3, 5, 6, 10]
    with pytest.raises(ValueError, match="5 lengths, 4 column 0"):
        by_length(exact_match, lengths, hypotheses[:4], references)


def test_entropy_lies_between_a_hard_choice_and_an_equal_share():
    weights = torch.tensor([[1.0, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0], [0.0] * 4])
    expected = torch.tensor([0.0, math.log(4), math.log(2), 0.0])
    assert torch.allclose(attention_entropy(weights), expected)


def test_entropy_keeps_the_leading_axes_and_passes_finite_gradients():
    weights = torch.tensor([[[1.0, 0.0], [0.5, 0.5]]]).expand(3, 2, 2)
    assert attention_entropy(weights).shape == (3, 2)
    scores = torch.tensor([50.0, 0.0, -50.0], requires_grad=True)
    attention_entropy(scores.softmax(-1)).backward()
    assert scores.grad.isfinite().all()


def test_scores_are_not_weights():
    for scores in ([1.0, -1.0], [0.0, 2.0]):
        with pytest.raises(ValueError, match=r"from .* to .*: to scores apply softmax"):
            attention_entropy(torch.tensor([[0.5, 0.5], scores]))


def test_weights_that_are_rounded_or_lose_some_have_an_entropy():
    weights = torch.randn(100, 3_000).softmax(-1)
    exact, rounded = attention_entropy(weights), attention_entropy(weights.bfloat16())
    assert torch.allclose(rounded.float(), exact, rtol=0.02)
    assert attention_entropy(weights / 2).isfinite().all()  # as under a Gaussian
    assert attention_entropy(torch.tensor([math.nan, 1.0])).isnan()


def test_the_largest_weight_is_the_row_s_maximum():
    assert torch.equal(largest_weight(torch.tensor([[0.1, 0.7, 0.2]])), torch.tensor([0.7]))
