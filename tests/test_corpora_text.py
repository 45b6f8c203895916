"""Test tokens, vocabularies and batches: from a sentence to tensors and back."""

import unicodedata

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from utils.corpora import (
    EOS,
    PAD,
    SOS,
    SPECIALS,
    UNK,
    Batches,
    Pair,
    Vocabulary,
    detokenise,
    pad_ids,
    tokenise,
    translation_corpus,
    translation_pairs,
)

# --- Tokens ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat sat on the mat", "the cat sat on the mat"),
        ("The cat sat.", "the cat sat ."),
        ("l'homme", "l' homme"),
        ("L’homme", "l' homme"),
        ("l'arbre n'est qu'un rêve", "l' arbre n' est qu' un rêve"),
        ("jusqu'à lorsqu'il puisqu'on", "jusqu' à lorsqu' il puisqu' on"),
        ("s'il c'est j'ai d'eux m'a t'a", "s' il c' est j' ai d' eux m' a t' a"),
        ("aujourd'hui quelqu'un d'aujourd'hui", "aujourd'hui quelqu'un d' aujourd'hui"),
        ("doesn't can't won’t", "does n't ca n't wo n't"),
        ("it's we'll I'd they've I'm you're", "it 's we 'll i 'd they 've i 'm you 're"),
        ("the dogs' bowl", "the dogs ' bowl"),
        ("a man-made t-shirt", "a man-made t-shirt"),
        ("the long-haired girl's", "the long-haired girl 's"),
        ("1,250.75 at 10:30", "1,250.75 at 10:30"),
        ("In 2021, 3.5 %!", "in 2021 , 3.5 % !"),
        ('She said: "no".', 'she said : " no " .'),
        ("Äpfel, Straße und Übermut", "äpfel , straße und übermut"),
        ("e\u0301cole", "école"),  # a combining accent is joined to its letter
        ("  two\t lines\n here ", "two lines here"),
        ("", ""),
        ("   ", ""),
        ("...", ". . ."),
    ],
)
def test_tokenise(text, tokens):
    assert tokenise(text) == tuple(tokens.split())


@pytest.mark.parametrize(
    "text",
    [
        "the cat sat on the mat",
        "l'homme n'aime pas qu'on s'en aille aujourd'hui.",
        "it doesn't matter, she's (almost) 3.5 years old!",
        'a sign that says "no entry" stands here.',
        "ein schild mit der aufschrift „halt“ steht da.",
        "a sign that says “stop”, and “go” too.",
        "it costs $5; that is 10%.",
    ],
)
def test_detokenise_is_the_way_back(text):
    assert detokenise(tokenise(text)) == text


@given(st.text())
def test_tokens_lose_nothing_but_spaces(text):
    normal = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    assert "".join(tokenise(text)) == "".join(normal.split())


@given(st.text(alphabet="abcdlnqstu'’-., 12"))
def test_tokenised_text_is_tokenised_to_the_same(text):
    tokens = tokenise(text)
    assert tokenise(" ".join(tokens)) == tokens


# --- Vocabulary -----------------------------------------------------------------------------------

WORDS = Vocabulary(["cat"])
PAIR = Pair(("hello",), ("bonjour", "!"), "Hello", "Bonjour !")
SENTENCES = [("the", "cat", "sat"), ("the", "dog", "sat"), ("the", "owl")]


def test_special_words_come_first_and_frequent_ones_next():
    vocabulary = Vocabulary.build(SENTENCES)
    assert vocabulary.words == [*SPECIALS, "the", "sat", "cat", "dog", "owl"]
    assert SPECIALS == ("<pad>", "<unk>", "<sos>", "<eos>")
    assert (PAD, UNK, SOS, EOS) == (0, 1, 2, 3)
    assert len(vocabulary) == 9
    assert "cat" in vocabulary
    assert "mat" not in vocabulary


def test_words_come_back_and_unknown_ones_as_unk():
    vocabulary = Vocabulary.build(SENTENCES)
    assert vocabulary.encode(["the", "cat", "<unk>", "fled"]) == [4, 6, UNK, UNK]
    assert vocabulary.decode([4, 6, UNK]) == ["the", "cat", "<unk>"]


def test_decode_stops_at_eos_and_leaves_out_padding():
    vocabulary = Vocabulary.build(SENTENCES)
    assert vocabulary.decode(torch.tensor([SOS, 4, 6, EOS, 5, PAD])) == ["the", "cat"]
    assert vocabulary.decode([PAD, PAD]) == []


def test_rare_words_are_left_out():
    assert Vocabulary.build(SENTENCES, min_count=2).words[4:] == ["the", "sat"]
    assert Vocabulary.build(SENTENCES, min_count=4).words[4:] == []


def test_vocabulary_is_rebuilt_from_its_words():
    vocabulary = Vocabulary.build(SENTENCES)
    copy = Vocabulary(vocabulary.words[4:])
    assert copy.words == vocabulary.words
    assert copy.encode(["owl"]) == vocabulary.encode(["owl"])


def test_special_words_in_a_text_get_their_own_ids_and_no_second_ones():
    vocabulary = Vocabulary.build([("<unk>", "cat", "<pad>")])
    assert vocabulary.words == [*SPECIALS, "cat"]


def test_corpus_vocabularies_know_the_training_pairs_alone():
    corpus = translation_corpus(300, phrases=(1, 2), seed=0)
    source_vocabulary, target_vocabulary = corpus.vocabularies()
    assert set(source_vocabulary.words[4:]) == {w for pair in corpus.train for w in pair.source}
    assert set(target_vocabulary.words[4:]) == {w for pair in corpus.train for w in pair.target}
    small, _ = corpus.vocabularies(min_count=20)
    assert 4 < len(small) < len(source_vocabulary)


# --- Batches --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus():
    return translation_corpus(600, phrases=(1, 6), seed=2)


@pytest.fixture(scope="module")
def batches(corpus):
    return Batches(corpus.train, *corpus.vocabularies(), batch_size=32)


def test_a_batch_holds_its_pairs_and_nothing_else(corpus, batches):
    source_vocabulary, target_vocabulary = corpus.vocabularies()
    for batch in batches:
        rows, src_len = batch.source.shape  # as wide as the longest pair
        assert rows == len(batch) == len(batch.pairs) == len(batch.source_lengths)
        assert src_len == max(len(pair.source) for pair in batch.pairs)
        assert batch.target.shape == (rows, max(len(pair.target) for pair in batch.pairs) + 2)
        assert batch.source.dtype == batch.target.dtype == torch.int64
        for row, pair in enumerate(batch.pairs):
            length = len(pair.source)
            source = batch.source[row].tolist()
            assert source[:length] == source_vocabulary.encode(pair.source)
            assert set(source[length:]) <= {PAD}
            assert batch.source_lengths[row] == length
            target = batch.target[row].tolist()
            expected = [SOS, *target_vocabulary.encode(pair.target), EOS]
            assert target[: len(expected)] == expected
            assert set(target[len(expected) :]) <= {PAD}


def test_labels_are_what_comes_after_the_decoder_input(batches):
    for batch in batches:
        assert batch.decoder_input.shape == batch.labels.shape
        assert (batch.decoder_input[:, 0] == SOS).all()
        assert torch.equal(batch.decoder_input[:, 1:], batch.labels[:, :-1])
        assert ((batch.labels == EOS).sum(1) == 1).all()


def test_source_mask_is_true_for_words_and_false_for_padding(batches):
    padded = 0
    for batch in batches:
        mask = batch.source_mask
        assert mask.shape == (len(batch), 1, batch.source.shape[1])
        assert torch.equal(mask.squeeze(1), batch.source != PAD)
        padded += (~mask).sum().item()
    assert padded  # the test would be empty without


def test_every_pair_comes_once_from_short_to_long(corpus, batches):
    pairs = [pair for batch in batches for pair in batch.pairs]
    assert sorted(map(str, pairs)) == sorted(map(str, corpus.train))
    lengths = [len(pair.source) for pair in pairs]
    assert lengths == sorted(lengths)
    assert len(list(batches)) == len(batches) == -(-len(corpus.train) // 32)


def test_shuffled_batches_hold_every_pair_once_in_an_order_of_the_seed(corpus, batches):
    def order(seed):
        return [str(pair) for batch in batches.shuffled(seed) for pair in batch.pairs]

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert sorted(order(1)) == sorted(map(str, corpus.train))
    # With another seed, not only the order of the batches differs, but also their pairs.
    first, second = (
        {frozenset(map(str, batch.pairs)) for batch in batches.shuffled(seed)} for seed in (1, 2)
    )
    assert first != second
    lengths = [batch.source.shape[1] for batch in batches.shuffled(1)]
    assert lengths != sorted(lengths)


def test_shuffling_leaves_the_global_random_state_alone(batches):
    torch.manual_seed(0)
    state = torch.get_rng_state()
    list(batches.shuffled(3))
    assert torch.equal(torch.get_rng_state(), state)


def test_bucketing_leaves_little_padding(batches):
    """Batches of similar length have less than a tenth of the padding of random batches."""

    def padding(all_batches):
        return sum((batch.source == PAD).sum().item() for batch in all_batches)

    pairs = [pair for batch in batches.shuffled(0) for pair in batch.pairs]
    rows = torch.randperm(len(pairs), generator=torch.Generator().manual_seed(0)).tolist()
    lengths = torch.tensor([len(pairs[row].source) for row in rows])
    as_they_come = sum(
        (part.max() * len(part) - part.sum()).item() for part in lengths.split(batches.batch_size)
    )
    assert padding(batches.shuffled(0)) < as_they_come / 10


def test_words_that_training_lacks_become_unk(corpus):
    unseen = translation_pairs(20, phrases=(2, 3), seed=1, unseen="names")
    for batch in Batches(unseen, *corpus.vocabularies()):
        assert (batch.source == UNK).any(dim=1).all()


def test_real_pairs_without_gold_alignments_make_batches_too():
    (batch,) = Batches([PAIR], Vocabulary(["hello"]), Vocabulary(["!", "bonjour"]))
    assert batch.source.tolist() == [[4]]
    assert batch.target.tolist() == [[SOS, 5, 4, EOS]]
    assert batch.pairs[0].sure is None


def test_pad_ids_pads_at_the_end():
    ids, lengths = pad_ids([[5, 6, 7], [8], []])
    assert ids.tolist() == [[5, 6, 7], [8, PAD, PAD], [PAD, PAD, PAD]]
    assert lengths.tolist() == [3, 1, 0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Vocabulary.build(SENTENCES, min_count=0), ValueError, "min_count must be 1"),
        (lambda: Vocabulary.build(["the cat"]), TypeError, "'the cat': tokenise it"),
        (lambda: Vocabulary(["cat", "cat"]), ValueError, "'cat' occurs twice"),
        (lambda: Vocabulary(["<unk>"]), ValueError, "'<unk>' occurs twice"),
        (lambda: Vocabulary([("the", "cat")]), TypeError, r"call Vocabulary\.build\(sentences\)"),
        (lambda: Vocabulary(["the cat"]), ValueError, "'the cat' is no word, but a sentence"),
        (lambda: WORDS.encode("cat"), TypeError, "'cat': tokenise it"),
        (lambda: WORDS.decode([5]), ValueError, "id 5 is not in .* of 5 words"),
        (lambda: WORDS.decode([-1]), ValueError, "id -1 is not in"),
        (
            lambda: WORDS.decode(torch.zeros(2, 3, dtype=torch.long)),
            ValueError,
            r"got \(2, 3\): decode each row",
        ),
        (lambda: Batches([], WORDS, WORDS), ValueError, "at least one pair"),
        (lambda: Batches([PAIR], WORDS, WORDS, 0), ValueError, "batch_size must be 1"),
        (lambda: pad_ids([]), ValueError, "at least one sequence"),
    ],
)
def test_bad_input_is_one_clear_error(call, error, message):
    with pytest.raises(error, match=message):
        call()
