"""The everyday corpus: correct French, one translation for a sentence, the same every time."""

from itertools import pairwise
from random import Random

import pytest

from utils.corpora import tokenise
from utils.corpora.everyday import everyday_corpus, everyday_pairs
from utils.corpora.everyday.rules import (
    Phrase,
    Verbal,
    as_subject,
    ask,
    begins_with_vowel,
    joints,
    posture_of,
    render_noun_phrase,
    state,
)
from utils.corpora.everyday.sentences import Sentences
from utils.corpora.everyday.words import PERSONS, load_everyday

WORDS = load_everyday()


@pytest.fixture(scope="module")
def pairs():
    return everyday_pairs(3_000, phrases=(1, 6), seed=11)


def noun_phrase(french, adjectives, noun, plural):
    """Return the French of a noun phrase, with adjectives of the lexicon."""
    word = next(entry for entry in WORDS.nouns if entry.english[0] == noun)
    chosen = tuple(entry for entry in WORDS.adjectives if entry.english in adjectives.split())
    return render_noun_phrase(word, chosen, plural, "", french).french


@pytest.mark.parametrize(
    ("french", "adjectives", "noun", "plural", "expected"),
    [
        ("le", "black", "cat", False, "le chat noir"),
        ("les", "white", "mouse", True, "les souris blanches"),
        ("mon", "old", "friend", False, "mon vieil ami"),
        ("mes", "old", "friend", True, "mes vieux amis"),
        ("ma", "good", "idea", False, "ma bonne idée"),
        ("un", "beautiful", "tree", False, "un bel arbre"),
        ("ce", "new", "hotel", False, "ce nouvel hôtel"),
        ("ce", "", "man", False, "cet homme"),
        ("une", "big", "house", False, "une grande maison"),
        ("une", "big red", "car", False, "une grande voiture rouge"),
        ("de", "small", "bird", True, "de petits oiseaux"),
        ("deux", "brown", "shoe", True, "deux chaussures marron"),
    ],
)
def test_nouns_and_adjectives_agree_and_stand_in_their_order(
    french, adjectives, noun, plural, expected
):
    assert noun_phrase(french, adjectives, noun, plural) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("le oiseau", "l' oiseau"),
        ("à le marché", "au marché"),
        ("à le hôpital", "à l' hôpital"),
        ("près de les lits", "près des lits"),
        ("de le pain", "du pain"),
        ("de la eau", "de l' eau"),
        ("ma idée", "mon idée"),
        ("je te aime", "je t' aime"),
        ("il ne y a pas", "il n' y a pas"),
        ("est-ce que il dort", "est-ce qu' il dort"),
        ("si ils dorment", "s' ils dorment"),
        ("si elle dort", "si elle dort"),
        ("le héros", "le héros"),
        ("ce est un chat", "c' est un chat"),
        ("ce ne est pas un chat", "ce n' est pas un chat"),
    ],
)
def test_french_words_join(words, expected):
    assert joints(words.split()) == expected.split()


SHE = Phrase("she", "elle", 2, "f")
SEES = Verbal(
    ("see", "see", "sees", "see", "see"),
    ("vois", "vois", "voit", "voyons", "voient"),
    ("do", "do", "does", "do", "do"),
    "see",
)


def test_statements_negations_and_questions_are_put_together():
    assert state(SHE, SEES) == ("she sees", "elle voit", False)
    assert state(SHE, SEES, ("not", "pas")) == ("she does not see", "elle ne voit pas", False)
    assert state(SHE, SEES, ("often", "souvent"))[:2] == ("she often sees", "elle voit souvent")
    assert ask(SHE, SEES) == ("does she see", "est-ce que elle voit", True)
    asked = ask(SHE, SEES._replace(before="le"), ("where", "où"))
    assert asked == ("where does she see", "où est-ce que elle le voit", True)


def test_every_verb_has_all_its_forms():
    for verb in WORDS.verbs:
        assert len(verb.french) == len(verb.present) == PERSONS, verb
        assert verb.imperfect is None or len(verb.imperfect) == PERSONS, verb
    assert all(len(adjective.french) == 4 for adjective in WORDS.adjectives)
    assert all(len(modal.french) == PERSONS for modal in WORDS.modals.values())


def test_french_is_joined_and_negations_have_two_parts(pairs):
    for pair in pairs:
        for word, following in pairwise(pair.target):
            unjoined = word in {"le", "la", "de", "que", "ne", "je", "me", "te"}
            assert not (unjoined and (following == "y" or begins_with_vowel(following))), pair
            assert (word, following) not in {("de", "le"), ("de", "les"), ("à", "le")}, pair
        parts = [
            sum(pair.target.count(word) for word in side)
            for side in (("ne", "n'"), ("pas", "jamais", "personne", "rien", "aucun", "aucune"))
        ]
        assert parts[0] <= parts[1], pair


def test_marks_stand_on_both_sides(pairs):
    for mark in "?!.,":
        assert all(pair.source.count(mark) == pair.target.count(mark) for pair in pairs)


def test_a_sentence_is_what_a_person_would_type(pairs):
    assert all(tokenise(pair.source_text) == pair.source for pair in pairs)
    assert any("n't" in pair.source for pair in pairs)


def test_a_sentence_has_one_translation(pairs):
    known = {pair.source: pair.target for pair in pairs}
    others = everyday_pairs(1_000, phrases=(1, 2), seed=12)
    assert all(known.get(pair.source, pair.target) == pair.target for pair in others)


def test_the_same_seed_gives_the_same_corpus_and_sets_share_no_sentence():
    corpus = everyday_corpus(400, phrases=(1, 4), seed=3)
    assert corpus == everyday_corpus(400, phrases=(1, 4), seed=3)
    assert corpus != everyday_corpus(400, phrases=(1, 4), seed=4)
    every = corpus.train + corpus.validation + corpus.test
    assert len({pair.source for pair in every}) == len({pair.target for pair in every}) == 400


def test_it_has_some_2_400_words(pairs):
    assert 2_200 < len({word for pair in pairs for word in pair.source}) < 2_500


@pytest.mark.parametrize(
    ("name", "person", "french"),
    [("sit", "she", "assise"), ("lie", "they", "allongés"), ("stand", "they", "debout")],
)
def test_how_somebody_sits_agrees_with_them(name, person, french):
    verb = next(word for word in WORDS.verbs if word.base == name)
    pronoun = next(word for word in WORDS.pronouns if word.english == person)
    assert posture_of(verb, as_subject(pronoun)) == french


def test_what_is_given_reaches_somebody():
    give = next(word for word in WORDS.verbs if word.base == "give")
    we = as_subject(next(word for word in WORDS.pronouns if word.english == "we"))
    drawing, said = Sentences(Random(0), WORDS), []
    for size in (2, 3) * 100:
        subject, verbal, rest = drawing.giving(we, give, size, negated=False)
        said.append(drawing.completed(state(subject, verbal), verbal, rest))
    him = [clause for clause in said if " him" in clause.english]
    assert len(him) > 10
    assert all(" lui " in clause.french for clause in him)
    to = [clause for clause in said if " to my " in clause.english]
    assert to
    assert all(" à " in clause.french for clause in to)


@pytest.mark.parametrize("phrases", [0, (3, 2), "4"])
def test_the_number_of_phrases_is_checked(phrases):
    with pytest.raises(ValueError, match="phrases must be"):
        everyday_pairs(10, phrases)
