"""Test the generated corpora: correct French, right alignments, disjoint sets, reproducible."""

import hashlib
import random
import re
import tomllib
from collections import Counter
from importlib.resources import files
from itertools import pairwise

import pytest

from utils.corpora import (
    UNK,
    detokenise,
    grammar,
    running_example,
    tokenise,
    translation_corpus,
    translation_pairs,
)
from utils.corpora.lexicon import load_lexicon

LEXICON = tomllib.loads((files("utils.corpora") / "lexicon.toml").read_text("utf-8"))
UNSEEN = {
    "names": {name for name, entry in LEXICON["names"].items() if entry.get("unseen")},
    "nouns": {
        form
        for singular, entry in LEXICON["nouns"].items()
        if entry.get("unseen")
        for form in (singular, entry["many"])
    },
}
NOUNS = {form for noun, entry in LEXICON["nouns"].items() for form in (noun, entry["many"])}
# Words before a phrase that change its French form or links, or make it a second subject. The
# pattern `ALONE` matches where none of them precedes.
BEFORE_OTHERS = ("and", "near", "to", "from", "opposite", "while", "because", "since")
ALONE = "".join(f"(?<!{word} )" for word in BEFORE_OTHERS) + r"\b"
HE = r"(?<!and )\b(?:the|a|this|my|our) (?:cat|dog|horse|owl|boy) "


@pytest.fixture(scope="module")
def pairs():
    return translation_pairs(16_000, phrases=(1, 8), seed=11)


def everything(corpus):
    return corpus.train + corpus.validation + corpus.test


# --- The running example --------------------------------------------------------------------------


def test_running_example_is_that_of_the_course_with_its_links():
    pair = running_example()
    assert str(pair) == "the cat sat on the mat → le chat était assis sur le tapis"
    assert pair.sure == {(0, 0), (1, 1), (2, 2), (2, 3), (3, 4), (4, 5), (5, 6)}
    assert pair.possible == pair.sure


def test_running_example_is_a_sentence_of_the_grammar_but_kept_out(monkeypatch):
    example = running_example()
    lexicon = load_lexicon()
    few_words = lexicon._replace(
        nouns={
            kind: [noun for noun in nouns if noun.one in ("cat", "mat")] or lexicon.nouns["space"]
            for kind, nouns in lexicon.nouns.items()
        },
        verbs={takes: [verb for verb in lexicon.verbs[takes]][:1] for takes in (False, True)},
        prepositions=[word for word in lexicon.prepositions if word.english == "on"],
    )
    monkeypatch.setattr(grammar, "load_lexicon", lambda *_: few_words)
    assert example not in translation_pairs(3_000, phrases=2)
    # The grammar can make this example: it does so when another one has to be avoided.
    another = translation_pairs(1, phrases=3)[0]
    monkeypatch.setattr(grammar, "running_example", lambda: another)
    assert example in translation_pairs(3_000, phrases=2)


# --- French, English, and the links between them --------------------------------------------------


@pytest.mark.parametrize(
    ("before", "phrase", "expected"),
    [
        # gender, number, and forms that are irregular
        (ALONE, "the white mouse", "la=the souris=mouse blanche=white"),
        (ALONE, "these white mice", "ces=these souris=mice blanches=white"),
        (ALONE, "two horses", "deux=two chevaux=horses"),
        (ALONE, "the birds", "les=the oiseaux=birds"),
        (ALONE, "some brown cows", "des=some vaches=cows marron=brown"),
        (ALONE, "the grey boats", "les=the bateaux=boats gris=grey"),
        (ALONE, "our happy sister", "notre=our sœur=sister heureuse=happy"),
        (ALONE, "three happy boys", "trois=three garçons=boys heureux=happy"),
        (ALONE, "my active uncle", "mon=my oncle=uncle actif=active"),
        # elision, and the aspirated h that forbids it
        (ALONE, "the green tree", "l'=the arbre=tree vert=green"),
        (ALONE, "the owl", "le=the hibou=owl"),
        # determiners before a vowel
        (ALONE, "this donkey", "cet=this âne=donkey"),
        (ALONE, "this owl", "ce=this hibou=owl"),
        (ALONE, "this school", "cette=this école=school"),
        (ALONE, "my bee", "mon=my abeille=bee"),
        (ALONE, "my sister", "ma=my sœur=sister"),
        # contraction of "de", which belongs to both words then
        (ALONE, "near the hammock", "près=near du=near+the hamac=hammock"),
        (ALONE, "near the beds", "près=near des=near+the lits=beds"),
        (ALONE, "near the chair", "près=near de=near+the la=the chaise=chair"),
        (ALONE, "near the tree", "près=near de=near+the l'=the arbre=tree"),
        (ALONE, "near a tree", "près=near d'=near+a un=a arbre=tree"),
        (ALONE, "near anna", "près=near d'=near+anna anna=anna"),
        (ALONE, "near paul", "près=near de=near+paul paul=paul"),
        (ALONE, "next to the mat", "à=next+to côté=next+to du=next+to+the tapis=mat"),
        (ALONE, "far from the mat", "loin=far+from du=far+from+the tapis=mat"),
        (
            ALONE,
            "opposite the actress",
            "en=opposite face=opposite de=opposite+the l'=the actrice=actress",
        ),
        (ALONE, "in front of", "devant=in+front+of"),
        # "que" before a vowel
        (ALONE, "because an uncle", "parce=because qu'=because+an un=an oncle=uncle"),
        (ALONE, "while anna", "pendant=while qu'=while+anna anna=anna"),
        (ALONE, "while the owl", "pendant=while que=while+the le=the hibou=owl"),
        # verbs: one word and two, with a particle, negated, with an auxiliary of their own
        (ALONE, "the cows stood", "les=the vaches=cows étaient=stood debout=stood"),
        (ALONE, "some bees slept", "des=some abeilles=bees ont=slept dormi=slept"),
        (HE, "sat", "était=sat assis=sat"),
        (HE, "did not sit", "n'=did+not était=did+not+sit pas=did+not assis=sit"),
        (HE, "worked", "travaillait=worked"),
        (HE, "did not work", "ne=did+not travaillait=did+not+work pas=did+not"),
        (HE, "was singing", "chantait=was+singing"),
        (HE, "was not singing", "ne=was+not chantait=was+not+singing pas=was+not"),
        (HE, "was not waiting", "n'=was+not attendait=was+not+waiting pas=was+not"),
        (HE, "was hungry", "avait=was+hungry faim=hungry"),
        (HE, "came back", "est=came revenu=came+back"),
        (HE, "did not come back", "n'=did+not est=did+not+come pas=did+not revenu=come+back"),
        (HE, "looked at", "regardait=looked+at"),
        # an indefinite object of a negated verb takes "de"
        ("did not see ", "any dogs", "de=any chiens=dogs"),
        ("did not find ", "an island", "d'=an île=island"),
        ("did not look at ", "a horse", "de=a cheval=horse"),
        ("looked at ", "a horse", "un=a cheval=horse"),
        ("did not see ", "the cat", "le=the chat=cat"),
    ],
)
def test_a_phrase_is_rendered_word_for_word_so(pairs, before, phrase, expected):
    """The expected text has each French word, in order, with the English words it is linked to.

    For example, "du=near+the" says that "du" is linked to "near" and "the".
    """
    actual = set()
    for pair in pairs:
        for match in re.finditer(rf"{before}({phrase})\b", pair.source_text):
            start = pair.source_text[: match.start(1)].count(" ")
            inside = range(start, start + len(phrase.split()))
            rendered = [
                f"{word}=" + "+".join(pair.source[i] for i, _ in links)
                for word, links in zip(pair.target, links_by_target(pair), strict=True)
                if any(i in inside for i, _ in links)
            ]
            actual.add(" ".join(rendered))
    assert actual == {expected}


def links_by_target(pair):
    """Return a list for each target word: its possible links, ordered by source word."""
    return [sorted(link for link in pair.possible if link[1] == j) for j in range(len(pair.target))]


def test_every_word_is_linked_and_surely_where_one_word_renders_one(pairs):
    """Every word has a link, and a target word's link is sure exactly if it is its only one.

    So a model that picks one source word for each target word can reach an alignment error of 0.
    """
    for pair in pairs:
        assert {i for i, _ in pair.possible} == set(range(len(pair.source)))
        by_target = links_by_target(pair)
        assert all(by_target)
        assert pair.sure == {links[0] for links in by_target if len(links) == 1}


@pytest.mark.parametrize("unseen", [None, *UNSEEN])
def test_content_words_link_to_their_own_translation_and_to_nothing_else(unseen):
    translations = {name: {name} for name in LEXICON["names"]}  # copied
    for singular, entry in LEXICON["nouns"].items():
        translations[singular], translations[entry["many"]] = ({form} for form in entry["french"])
    for english, entry in LEXICON["adjectives"].items():
        translations[english] = set(entry["french"])
    repeated = 0
    for pair in translation_pairs(2_000, phrases=(2, 8), seed=5, unseen=unseen):
        targets = {i: [j for i_, j in pair.sure if i_ == i] for i in range(len(pair.source))}
        for i, word in enumerate(pair.source):
            if word in translations:
                (target,) = targets[i]
                assert pair.target[target] in translations[word], str(pair)
        # Nouns are in the same order in both languages, so repeated ones are linked in order.
        nouns = [i for i, word in enumerate(pair.source) if word in NOUNS]
        assert all(targets[i] < targets[j] for i, j in pairwise(nouns)), str(pair)
        repeated += len({pair.source[i] for i in nouns}) < len(nouns)
    assert repeated


VOWEL = r"(?:[aeiouâéèêîô]|h(?!ibou|amac))"


@pytest.mark.parametrize(
    ("side", "pattern"),
    [
        ("target_text", rf"\b(?:le|la|ne|de|que|ce|ma) {VOWEL}"),  # an elision is left out
        ("target_text", rf"'(?!{VOWEL})"),  # or is wrong
        ("target_text", r"\bde (?:le|les|des)\b"),
        ("source_text", r"\ba [aeiou]|\ban [^aeiou]"),
        # "some" after "de" is avoided: in French its article "des" would disappear.
        ("source_text", r"\b(?:near|next to|far from|opposite) some\b"),
        # Conjunctions take turns.
        ("source_text", r"\b(because|when|while|since|so|then|but)\b.*\b\1\b"),
    ],
)
def test_no_sentence_has(pairs, side, pattern):
    assert not [pair for pair in pairs if re.search(pattern, getattr(pair, side))]


def test_negation_has_both_of_its_parts(pairs):
    negated = 0
    for pair in pairs:
        count = Counter(pair.target)
        assert count["ne"] + count["n'"] == count["pas"] == pair.source.count("not")
        negated += count["pas"] > 0
    assert negated > len(pairs) / 10


def test_verbs_agree_with_their_subjects():
    """Only sentences of one clause are tested: all nouns before the verb are its subjects."""
    genders = {name: (entry["gender"], False) for name, entry in LEXICON["names"].items()}
    for singular, entry in LEXICON["nouns"].items():
        genders[singular] = entry["gender"], False
        genders[entry["many"]] = entry["gender"], True
    forms = ("past", "base", "was")
    verbs = {verb[form]: verb for verb in LEXICON["verbs"] for form in forms if form in verb}
    checked = Counter()
    for pair in translation_pairs(6_000, phrases=(1, 2), seed=7):
        places = [i for i, word in enumerate(pair.source) if word in verbs]
        verb = verbs[pair.source[places[0]]]
        if len(places) > 1 or len(verb.get("agrees", ())) != 4:
            continue
        subjects = [genders[word] for word in pair.source[: places[0]] if word in genders]
        plural = len(subjects) > 1 or subjects[0][1]
        feminine = all(gender == "f" for gender, _ in subjects)
        assert verb["french"][plural] in pair.target, str(pair)
        assert verb["agrees"][2 * plural + feminine] in pair.target, str(pair)
        checked[len(subjects), plural, feminine] += 1
    assert len(checked) == 6, checked  # one or two subjects, singular or plural, of either gender


def test_an_english_sentence_has_one_translation():
    translations = {}
    for seed in range(3):
        for pair in translation_pairs(3_000, phrases=(1, 2), seed=seed):
            assert translations.setdefault(pair.source, pair.target) == pair.target


def test_texts_and_tokens_are_two_views_of_the_same(pairs):
    for pair in pairs[:2_000]:
        assert tokenise(pair.source_text) == pair.source
        assert tokenise(pair.target_text) == pair.target
        assert detokenise(pair.source) == pair.source_text
        assert detokenise(pair.target) == pair.target_text


# --- Sets -----------------------------------------------------------------------------------------


def test_sets_share_no_sentence_and_need_no_word_that_training_lacks():
    corpus = translation_corpus(8_000, seed=0)
    sizes = [len(part) for part in (corpus.train, corpus.validation, corpus.test)]
    assert sizes == [7_200, 400, 400]
    for side in ("source", "target"):
        assert len({getattr(pair, side) for pair in everything(corpus)}) == 8_000
    source_vocabulary, target_vocabulary = corpus.vocabularies()
    longer = translation_pairs(300, phrases=(9, 12), seed=4)
    for pair in corpus.validation + corpus.test + longer + [running_example()]:
        assert UNK not in source_vocabulary.encode(pair.source)
        assert UNK not in target_vocabulary.encode(pair.target)


def test_every_number_of_phrases_comes_equally_often_and_no_sentence_is_endless(pairs):
    counts = Counter(pair.phrases for pair in pairs)
    assert counts == {count: len(pairs) // 8 for count in range(1, 9)}
    assert max(len(pair.source) for pair in pairs) == 31


@pytest.mark.parametrize("phrases", [1, 5, 9, 12])
def test_a_number_of_phrases_is_that_many_noun_phrases(phrases):
    for pair in translation_pairs(200, phrases, seed=2):
        assert pair.phrases == phrases
        assert sum(word in NOUNS | LEXICON["names"].keys() for word in pair.source) == phrases


@pytest.mark.parametrize("unseen", UNSEEN)
def test_unseen_words_come_in_their_own_sets_and_nowhere_else(pairs, unseen):
    words = UNSEEN[unseen]
    assert words.isdisjoint(word for pair in pairs for word in pair.source)
    drawn = translation_pairs(600, phrases=(2, 4), seed=5, unseen=unseen)
    assert not any(words.isdisjoint(pair.source) for pair in drawn)
    used = {word for pair in drawn for word in pair.source}
    assert used & set.union(*UNSEEN.values()) == words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pairs": 0}, "pairs must be 1 or more, got 0"),
        ({"pairs": 2, "phrases": 3}, "too few pairs"),
        ({"pairs": 10, "phrases": 0}, "phrases must be"),
        ({"pairs": 10, "phrases": (3, 2)}, r"phrases must be .* got \(3, 2\)"),
        ({"pairs": 10, "phrases": (1, 2, 3)}, "phrases must be"),
        ({"pairs": 10, "phrases": 1.5}, "phrases must be"),
        ({"pairs": 10, "phrases": "8"}, "phrases must be"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        translation_corpus(**arguments)


def test_unseen_words_of_another_sort_are_refused():
    with pytest.raises(ValueError, match='unseen must be None, "nouns" or "names", got \'verbs\''):
        translation_pairs(10, unseen="verbs")


def test_asking_for_more_sentences_than_there_are_ends_with_a_message(monkeypatch):
    monkeypatch.setattr("utils.corpora.pairs.MOST_REJECTED", 2)
    with pytest.raises(ValueError, match=r"too few sentences of phrases=1 .* ask for fewer pairs"):
        translation_pairs(10_000, phrases=1)


# --- The same every time --------------------------------------------------------------------------


def test_a_seed_gives_the_same_corpus_in_every_process_and_on_every_machine():
    """The corpus is compared with a stored hash.

    A corpus that depended on the order of a set of strings would differ between processes.
    """
    state = random.getstate()
    corpus = translation_corpus(300, seed=1)
    assert random.getstate() == state  # the global random state is neither used nor changed
    text = "\n".join(f"{pair} {sorted(pair.possible)}" for pair in everything(corpus))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "2dc930d3d2e223fc"
    assert translation_corpus(300, seed=2) != corpus
