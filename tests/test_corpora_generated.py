"""The generated corpora: correct French, gold alignments, disjoint sets, the same every time."""

import os
import random
import re
import subprocess
import sys
import time
import tomllib
from collections import Counter
from datetime import datetime
from importlib.resources import files

import pytest

from utils.corpora import (
    UNK,
    date_corpus,
    detokenise,
    grammar,
    running_example,
    tokenise,
    translation_corpus,
    translation_pairs,
)
from utils.corpora.lexicon import load_lexicon

LEXICON = tomllib.loads((files("utils.corpora") / "lexicon.toml").read_text("utf-8"))
UNSEEN_NAMES = {name for name, entry in LEXICON["names"].items() if entry.get("unseen")}
UNSEEN_NOUNS = {
    form
    for singular, entry in LEXICON["nouns"].items()
    if entry.get("unseen")
    for form in (singular, entry["many"])
}
CLAUSE = "(?:^|because |when |while |so |then )"  # where one begins, and its subject with it
ENDS_IN_DE = "near|next to|far from|opposite"  # in French
# not after a word whose last word in French leans on the next
AT_EASE = r"(?<!near )(?<!to )(?<!from )(?<!opposite )(?<!while )(?<!because )(?<!since )\b"


@pytest.fixture(scope="module")
def pairs():
    return translation_pairs(40_000, phrases=(1, 8), seed=11)


@pytest.fixture(scope="module")
def dates():
    return date_corpus(4_000, seed=3)


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
    # With another example to keep out, the grammar makes this one, links and all.
    another = translation_pairs(1, phrases=3)[0]
    monkeypatch.setattr(grammar, "running_example", lambda: another)
    assert example in translation_pairs(3_000, phrases=2)


# --- French and English ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("english", "french"),
    [
        # gender, number, and forms that are irregular
        ("the white mouse", "la souris blanche"),
        ("these white mice", "ces souris blanches"),
        ("two horses", "deux chevaux"),
        ("the birds", "les oiseaux"),
        (CLAUSE + "a brown cow", "une vache marron"),
        ("some brown cows", "des vaches marron"),
        ("the grey boats", "les bateaux gris"),
        ("(?:in|behind) a grey house", "une maison grise"),
        ("our happy sister", "notre sœur heureuse"),
        ("three happy boys", "trois garçons heureux"),
        ("my active uncle", "mon oncle actif"),
        # elision, and the aspirated h that forbids it
        ("the bird", "l'oiseau"),
        ("the owl", "le hibou"),
        ("the hammock", "le hamac"),
        # determiners before a vowel
        ("this donkey", "cet âne"),
        ("this owl", "ce hibou"),
        ("this school", "cette école"),
        ("my bee", "mon abeille"),
        ("my sister", "ma sœur"),
        ("my actresses", "mes actrices"),
        # contraction of "de"
        ("near the hammock", "près du hamac"),
        ("near the chair", "près de la chaise"),
        ("near a tree", "près d'un arbre"),
        ("near paul", "près de paul"),
        ("next to the mat", "à côté du tapis"),
        ("next to our mat", "à côté de notre tapis"),
        ("far from the mat", "loin du tapis"),
        ("opposite the actress", "en face de l'actrice"),
        ("in front of the owl", "devant le hibou"),
        # "que" before a vowel
        ("because an uncle", "parce qu'un oncle"),
        ("while anna", "pendant qu'anna"),
        ("while the owl", "pendant que le hibou"),
        # verbs without a participle that agrees; agreement has its own test
        ("the cows stood", "les vaches étaient debout"),
        ("some bees slept", "des abeilles ont dormi"),
        ("my boys were tired", "mes garçons étaient fatigués"),
        # negation in two parts
        ("did not sleep", "n'(?:a|ont) pas dormi"),
        ("the girls did not sit", "les filles n'étaient pas assises"),
        ("the boy did not work", "le garçon ne travaillait pas"),
        ("were not singing", "ne chantaient pas"),
        ("the owl was not waiting", "le hibou n'attendait pas"),
        ("anna was not hungry", "anna n'avait pas faim"),
        ("did not come back", "(?:est|sont) pas revenue?s?"),
        # an indefinite object of a negated verb takes "de"
        ("did not see any dogs", "pas vu de chiens"),
        ("did not find an island", "pas trouvé d'île"),
        ("did not forget any birds", "pas oublié d'oiseaux"),
        ("did not look at a horse", "pas de cheval"),
        ("did not see the dog", "pas vu le chien"),
        # a particle of English leaves no trace
        ("looked at the house", "la maison"),
    ],
)
def test_phrase_is_translated_so_wherever_it_stands(pairs, english, french):
    whole_words = re.compile(rf"\b{english}\b")
    matching = [pair for pair in pairs if whole_words.search(pair.source_text)]
    assert matching, f"no generated sentence has {english!r}"
    # A verb after "and" may have more subjects than one, and after "de" an article may melt: both
    # have their own cases.
    other_case = re.compile(rf"\b(?:and|{ENDS_IN_DE}) {english}")
    matching = [pair for pair in matching if not other_case.search(pair.source_text)]
    assert matching
    for pair in matching:
        assert re.search(rf"(?<!\w){french}(?!\w)", pair.target_text), str(pair)


def test_french_never_leaves_out_an_elision_or_a_contraction(pairs):
    vowel = r"(?:[aeiouâéèêîô]|h(?!ibou|amac))"
    for pair in pairs:
        text = pair.target_text
        assert not re.search(rf"\b(?:le|la|ne|de|que|ce|ma) {vowel}", text), text
        assert not re.search(rf"'(?!{vowel})", text), text
        assert not re.search(r"\bde (?:le|les|des)\b", text), text


def test_an_indefinite_plural_keeps_its_article(pairs):
    assert not any(re.search(rf"\b(?:{ENDS_IN_DE}) some\b", pair.source_text) for pair in pairs)


def test_conjunctions_take_turns(pairs):
    conjunctions = {word.english for word in load_lexicon().conjunctions} - {"and"}
    for pair in pairs:
        used = [word for word in pair.source if word in conjunctions]
        assert len(used) == len(set(used)), str(pair)


def test_english_article_fits_the_next_word(pairs):
    for pair in pairs:
        assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", pair.source_text), pair.source_text


def test_negation_has_both_of_its_parts(pairs):
    negated = 0
    for pair in pairs:
        count = Counter(pair.target)
        assert count["ne"] + count["n'"] == count["pas"] == pair.source.count("not")
        negated += count["pas"] > 0
    assert negated > len(pairs) / 10


def test_verbs_agree_with_their_subjects():
    """In sentences of one clause, where all nouns before the verb are its subjects."""
    genders = {name: (entry["gender"], False) for name, entry in LEXICON["names"].items()}
    for singular, entry in LEXICON["nouns"].items():
        genders[singular], genders[entry["many"]] = (
            (entry["gender"], False),
            (entry["gender"], True),
        )
    verbs = {
        verb[form]: verb
        for verb in LEXICON["verbs"]
        for form in ("past", "base", "was")
        if form in verb
    }
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


def test_adjectives_follow_their_noun_in_french(pairs):
    french_adjectives = {
        form for entry in LEXICON["adjectives"].values() for form in entry["french"]
    }
    french_nouns = {form for entry in LEXICON["nouns"].values() for form in entry["french"]}
    for pair in pairs:
        for before, word in zip(pair.target, pair.target[1:], strict=False):
            assert word not in french_adjectives or before in french_nouns, pair.target_text


def test_an_english_sentence_has_one_translation():
    translations = {}
    for seed in range(3):
        for pair in translation_pairs(5_000, phrases=(1, 2), seed=seed):
            assert translations.setdefault(pair.source, pair.target) == pair.target


def test_lexicon_is_rich_enough():
    seen = [entry for entry in LEXICON["nouns"].values() if not entry.get("unseen")]
    assert len(seen) >= 24
    assert len(LEXICON["adjectives"]) >= 8
    assert len(LEXICON["verbs"]) >= 16


# --- Gold alignments ------------------------------------------------------------------------------


def test_links_lie_within_the_sentences_and_reach_every_word(pairs):
    for pair in pairs:
        assert pair.sure <= pair.possible
        assert {i for i, _ in pair.possible} == set(range(len(pair.source)))
        assert {j for _, j in pair.possible} == set(range(len(pair.target)))


def test_picking_one_source_word_for_each_target_word_can_be_right_throughout(pairs):
    for pair in pairs:
        linked_surely = Counter(j for _, j in pair.sure)
        assert max(linked_surely.values()) == 1, str(pair)


def test_content_words_link_to_their_translation_and_to_nothing_else(pairs):
    translations = {name: {name} for name in LEXICON["names"]}
    for singular, entry in LEXICON["nouns"].items():
        translations[singular] = {entry["french"][0]}
        translations[entry["many"]] = {entry["french"][1]}
    for english, entry in LEXICON["adjectives"].items():
        translations[english] = set(entry["french"])
    for pair in pairs:
        for i, word in enumerate(pair.source):
            if word in translations:
                targets = [j for i_, j in pair.sure if i_ == i]
                assert len(targets) == 1, (str(pair), word)
                assert pair.target[targets[0]] in translations[word]


def test_repeated_words_link_to_their_own_copy(pairs):
    # Fragments keep their order: the n-th cat of one language is the n-th of the other.
    checked = 0
    for pair in pairs:
        nouns = [i for i, word in enumerate(pair.source) if word in LEXICON["nouns"]]
        targets = [j for i in nouns for i_, j in pair.sure if i_ == i]
        assert targets == sorted(targets)
        checked += len(nouns) > len({pair.source[i] for i in nouns})
    assert checked


ONE_MALE = r"(?<!and )\b(?:the|a|this|my|our) (?:cat|dog|horse|owl|boy)"


@pytest.mark.parametrize(
    ("pattern", "sure", "others"),
    [
        (rf"{ONE_MALE} (sat)\b", {"sat–était", "sat–assis"}, set()),
        (
            rf"{ONE_MALE} (did not sit)\b",
            {"sit–assis"},
            {"did–n'", "not–n'", "did–était", "not–était", "sit–était", "did–pas", "not–pas"},
        ),
        (rf"{ONE_MALE} (worked)\b", {"worked–travaillait"}, set()),
        (rf"{ONE_MALE} (was singing)\b", set(), {"was–chantait", "singing–chantait"}),
        (
            rf"{ONE_MALE} (was not singing)\b",
            set(),
            {"singing–chantait"}
            | {f"{a}–{b}" for a in ("was", "not") for b in ("ne", "chantait", "pas")},
        ),
        (rf"{ONE_MALE} (was hungry)\b", {"hungry–faim"}, {"was–avait", "hungry–avait"}),
        (rf"{ONE_MALE} (came back)\b", {"came–est"}, {"came–revenu", "back–revenu"}),
        (rf"{ONE_MALE} (looked at)\b", set(), {"looked–regardait", "at–regardait"}),
        (rf"{AT_EASE}(the black cat)\b", {"the–le", "black–noir", "cat–chat"}, set()),
        (rf"{AT_EASE}(the green tree)\b", {"the–l'", "green–vert", "tree–arbre"}, set()),
        (r"\b(near the bed)\b", {"near–près", "bed–lit"}, {"near–du", "the–du"}),
        (r"\b(near the beds)\b", {"near–près", "beds–lits"}, {"near–des", "the–des"}),
        (
            r"\b(near the tree)\b",
            {"near–près", "the–l'", "tree–arbre"},
            {"near–de", "the–de"},
        ),
        (r"\b(near anna)\b", {"near–près", "anna–anna"}, {"near–d'", "anna–d'"}),
        (r"\b(in front of)\b", set(), {"in–devant", "front–devant", "of–devant"}),
        (r"\b(while) the\b", {"while–pendant"}, {"while–que"}),
        (r"\b(did not see a dog)\b", {"see–vu", "a–de", "dog–chien"}, None),
    ],
)
def test_links_of_a_phrase(pairs, pattern, sure, others):
    checked = 0
    for pair in pairs:
        if match := re.search(pattern, pair.source_text):
            start = pair.source_text[: match.start(1)].count(" ")
            span = range(start, start + len(match[1].split()))
            inside = {
                (f"{pair.source[i]}–{pair.target[j]}", (i, j) in pair.sure)
                for i, j in pair.possible
                if i in span
            }
            assert {words for words, is_sure in inside if is_sure} == sure, str(pair)
            if others is not None:
                assert {words for words, is_sure in inside if not is_sure} == others, str(pair)
            checked += 1
    assert checked, f"no generated sentence has {pattern}"


# --- Sets -----------------------------------------------------------------------------------------


def test_training_validation_and_test_share_no_sentence():
    corpus = translation_corpus(4_000, phrases=(1, 3), seed=1)
    sizes = [len(part) for part in (corpus.train, corpus.validation, corpus.test)]
    assert sizes == [3600, 200, 200]
    everything = corpus.train + corpus.validation + corpus.test
    assert len({pair.source for pair in everything}) == len(everything)
    assert len({pair.target for pair in everything}) == len(everything)


def test_every_number_of_phrases_comes_equally_often(pairs):
    counts = Counter(pair.phrases for pair in pairs)
    assert counts == {count: len(pairs) // 8 for count in range(1, 9)}


def test_sentences_reach_31_words_and_no_further(pairs):
    assert max(len(pair.source) for pair in pairs) == 31


@pytest.mark.parametrize("phrases", [1, 5, 9, 12])
def test_a_number_of_phrases_is_that_many_noun_phrases(phrases):
    nouns = {
        form for singular, entry in LEXICON["nouns"].items() for form in (singular, entry["many"])
    }
    nouns |= set(LEXICON["names"])
    for pair in translation_pairs(200, phrases, seed=2):
        assert pair.phrases == phrases
        assert sum(word in nouns for word in pair.source) == phrases


def test_validation_and_test_need_no_word_that_training_lacks():
    corpus = translation_corpus(20_000, seed=0)
    source_vocabulary, target_vocabulary = corpus.vocabularies()
    longer = translation_pairs(300, phrases=(9, 12), seed=4)
    for pair in corpus.validation + corpus.test + longer + [running_example()]:
        assert UNK not in source_vocabulary.encode(pair.source)
        assert UNK not in target_vocabulary.encode(pair.target)


@pytest.mark.parametrize(("unseen", "words"), [("nouns", UNSEEN_NOUNS), ("names", UNSEEN_NAMES)])
def test_unseen_words_come_in_their_own_sets_and_nowhere_else(pairs, unseen, words):
    assert words.isdisjoint(word for pair in pairs for word in pair.source)
    drawn = translation_pairs(600, phrases=(2, 4), seed=5, unseen=unseen)
    assert not any(words.isdisjoint(pair.source) for pair in drawn)
    assert words <= {word for pair in drawn for word in pair.source}
    others = (UNSEEN_NOUNS | UNSEEN_NAMES) - words
    assert others.isdisjoint(word for pair in drawn for word in pair.source)


def test_unseen_names_are_translated_by_copying():
    for pair in translation_pairs(300, phrases=(1, 4), seed=5, unseen="names"):
        copied = {pair.target[j] for i, j in pair.sure if pair.source[i] in UNSEEN_NAMES}
        assert copied == UNSEEN_NAMES & set(pair.source)


def test_texts_and_tokens_are_two_views_of_the_same(pairs):
    for pair in pairs[:5_000]:
        assert tokenise(pair.source_text) == pair.source
        assert tokenise(pair.target_text) == pair.target
        assert detokenise(pair.source) == pair.source_text
        assert detokenise(pair.target) == pair.target_text


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
    with pytest.raises(ValueError, match='unseen must be None, "nouns" or "names", got \'verbs\''):
        translation_pairs(10, unseen="verbs")


def test_asking_for_more_sentences_than_there_are_ends_with_a_message(monkeypatch):
    monkeypatch.setattr("utils.corpora.grammar._PATIENCE", 2)
    with pytest.raises(ValueError, match=r"too few sentences of phrases=1 .* ask for fewer pairs"):
        translation_pairs(10_000, phrases=1)


# --- The same every time --------------------------------------------------------------------------


def test_a_seed_gives_one_corpus_and_another_seed_another():
    assert translation_corpus(500, seed=1) == translation_corpus(500, seed=1)
    assert translation_corpus(500, seed=1) != translation_corpus(500, seed=2)
    assert date_corpus(500, seed=1) == date_corpus(500, seed=1)
    assert date_corpus(500, seed=1) != date_corpus(500, seed=2)


def test_global_random_state_is_neither_read_nor_moved():
    random.seed(5)
    state = random.getstate()
    first = translation_corpus(200), date_corpus(200)
    assert random.getstate() == state
    random.seed(6)
    assert (translation_corpus(200), date_corpus(200)) == first


def test_corpus_does_not_depend_on_the_order_of_sets():
    """Python orders sets of strings anew in each process; nothing of that may come through."""
    script = (
        "from utils.corpora import translation_corpus, date_corpus\n"
        "corpus, dates = translation_corpus(300), date_corpus(300)\n"
        "print(*corpus.train, *corpus.test, *dates.train, *dates.test, sep='|')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
    )
    corpus, dates = translation_corpus(300), date_corpus(300)
    here = "|".join(map(str, corpus.train + corpus.test + dates.train + dates.test))
    assert ran.stdout.decode().strip() == here


def test_making_sentences_costs_no_more_than_a_few_times_reading_them(pairs):
    """A ratio, as machines differ: on one core 20,000 pairs take a second or so."""

    def seconds(function):
        start = time.process_time()
        function()
        return time.process_time() - start

    def read():
        for pair in pairs[:5_000]:
            tokenise(pair.source_text)
            tokenise(pair.target_text)

    making = min(seconds(lambda: translation_corpus(5_000)) for _ in range(3))
    reading = min(seconds(read) for _ in range(3))
    assert making < 10 * reading


# --- Dates ----------------------------------------------------------------------------------------


def read_date(text):
    """An independent reading of a written date."""
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text)
    forms = [
        "%d %B %Y",
        "the %d of %B, %Y",
        "%d %b %Y",
        "%B %d, %Y",
        "%B the %d, %Y",
        "%b %d, %Y",
        "%A, %d %B %Y",
        "%A %d %B %Y",
        "%Y, %B %d",
        "%d/%m/%Y",
        "%d.%m.%Y",
        "%d-%b-%Y",
    ]
    for form in forms:
        try:
            day = datetime.strptime(text, form)
        except ValueError:
            continue
        if "%A" not in form or day.strftime("%A") in text:
            return day.date().isoformat()
    raise AssertionError(f"no form fits {text}")


def test_dates_are_right(dates):
    for pair in dates.train + dates.validation + dates.test:
        assert pair.target_text == read_date(pair.source_text)
        assert pair.source == dates.tokenise(pair.source_text)
        assert dates.detokenise(pair.target) == pair.target_text


def test_dates_are_written_in_many_forms(dates):
    forms = {
        re.sub(r"[A-Za-z]{3,}", "A", re.sub(r"\d", "9", str(p.source_text))) for p in dates.train
    }
    assert len(forms) >= 20


@pytest.mark.parametrize(
    ("day", "ordinal"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (13, "13th"), (22, "22nd")],
)
def test_ordinals(dates, day, ordinal):
    of_day = [p.source_text for p in dates.train if p.target_text.endswith(f"-{day:02}")]
    written = {match[0] for text in of_day if (match := re.search(r"\d+(?:st|nd|rd|th)", text))}
    assert written == {ordinal}


def test_dates_share_no_date_between_sets(dates):
    everything = dates.train + dates.validation + dates.test
    assert len({pair.target for pair in everything}) == len(everything) == 4_000


def test_figures_link_to_their_copies(dates):
    for pair in dates.train:
        assert pair.sure < pair.possible
        assert all(pair.source[i] == pair.target[j] for i, j in pair.sure)
        assert max(Counter(j for _, j in pair.sure).values()) == 1
        assert max(Counter(i for i, _ in pair.sure).values()) == 1
        assert {j for _, j in pair.possible} == set(range(10))
        surely = {j for _, j in pair.sure}
        # A year is always copied, a day but for a zero before it, a month unless it is a name.
        assert {0, 1, 2, 3, 9} <= surely
        assert 8 in surely or pair.target[8] == "0"
        assert (6 in surely) == (not re.search(r"[A-Z][a-z]{2}(?! ?\d+.*/)", pair.source_text))


@pytest.mark.parametrize(
    ("pattern", "links"),
    [
        # source index – target index, hyphens left out
        (r"^[1-9]/1[012]/\d{4}$", {(0, 9): True, (0, 8): False, (2, 5): True, (3, 6): True}),
        (r"^[1-9]/[1-9]/\d{4}$", {(0, 9): True, (0, 8): False, (2, 6): True, (2, 5): False}),
        (r"^\d\d\.\d\d\.\d{4}$", {(0, 8): True, (1, 9): True, (3, 5): True, (4, 6): True}),
        (
            r"^\d\d May \d{4}$",
            {(0, 8): True, (1, 9): True} | {(i, j): False for i in (3, 4, 5) for j in (5, 6)},
        ),
    ],
)
def test_links_of_dates(dates, pattern, links):
    matching = [pair for pair in dates.train if re.search(pattern, pair.source_text)]
    assert matching
    for pair in matching:
        length = len(pair.source)
        year = {(length - 4 + place, place): True for place in range(4)}
        expected = links | year
        inside = {link: link in pair.sure for link in pair.possible if link[1] not in (4, 7)}
        assert inside == expected


@pytest.mark.parametrize("pairs", [0, 2, 80_000])
def test_number_of_dates_has_its_limits(pairs):
    with pytest.raises(ValueError, match=f"pairs must be 3 to .* got {pairs}"):
        date_corpus(pairs)
