"""English sentences with their French translation and gold alignments, from a grammar of our own.

    the cat sat on the mat → le chat était assis sur le tapis

The grammar is small, but it has what makes translation more than copying: gender and number,
adjectives that follow their noun, a negation in two parts (ne … pas), elision (l'oiseau),
contraction (près du lit), one word that becomes two ("sat" → "était assis") and several that become
one ("in front of" → "devant"). An English sentence has exactly one translation.

The words are in `lexicon.toml`. A sentence is a sequence of fragments, such as a noun phrase or a
preposition, in the same order in English and French; each fragment has its words in both languages
and the links between them.
"""

from collections.abc import Sequence
from functools import cache
from itertools import cycle
from random import Random
from typing import NamedTuple

from utils.corpora.lexicon import (
    Adjective,
    Conjunction,
    Determiner,
    Gender,
    Kind,
    Lexicon,
    Name,
    Noun,
    Place,
    Preposition,
    Unseen,
    Verb,
    load_lexicon,
)
from utils.corpora.pairs import Corpus, Link, Pair, draw_distinct, phrase_range, split

_PLURAL, _NAME, _ADJECTIVE, _NEGATION, _TWO_SUBJECTS = 0.35, 0.2, 0.3, 0.3, 0.25  # probabilities
_SUBJECTS = ("person", "animal")
_CLAUSE_SIZES = (1, 2, 2, 3, 3)  # noun phrases

_VOWELS = tuple("aeiouhâéèêîô")  # first letters that cause an elision
_ELISIONS = {"le": "l'", "la": "l'", "ne": "n'", "de": "d'", "que": "qu'"}
_AFTER_DE = {"le": "du", "les": "des"}  # de + le → du


def translation_corpus(
    pairs: int = 20_000, phrases: int | tuple[int, int] = (1, 8), seed: int = 0
) -> Corpus:
    """Generate an English → French corpus with gold alignments.

    No sentence occurs twice, so training, validation and test share no sentence. They contain
    neither the running example of the course nor a word that the lexicon marks as unseen.

    Args:
        pairs: the number of pairs; 5 % of them go to validation, 5 % to test.
        phrases: noun phrases per sentence, as (fewest, most), each number equally often; or one
            number for all sentences.
        seed: the same seed gives the same corpus on every machine.

    Raises:
        ValueError: `pairs` is below 3, `phrases` is not a range of numbers from 1 up, or the
            grammar has too few sentences with so few phrases.
    """
    return split([[pair] for pair in translation_pairs(pairs, phrases, seed)], seed)


def translation_pairs(
    pairs: int,
    phrases: int | tuple[int, int] = (1, 8),
    seed: int = 0,
    unseen: Unseen = None,
) -> list[Pair]:
    """Generate distinct pairs in one list, for tests that go beyond the training data.

    With more phrases than in training, the pairs test whether a model copes with longer sentences.
    At trained lengths use `corpus.test`, since some of these pairs may be in the training data.

    Args:
        pairs, phrases, seed: as for `translation_corpus`.
        unseen: "nouns" or "names" gives every sentence a noun or name that no training corpus has.
            Names are spelled the same in both languages, so copying a name translates it.

    Raises:
        ValueError: as for `translation_corpus`, or `unseen` is none of "nouns", "names" and None.
    """
    fewest, most = phrase_range(phrases)
    lexicon, random = load_lexicon(unseen), Random(seed)

    def draw(number: int) -> Pair:
        return _sentence(random, lexicon, fewest + number % (most - fewest + 1))

    example = running_example()
    taken = {example.source, example.target}
    return draw_distinct(pairs, draw, lambda pair: _wanted(pair, lexicon), taken)


@cache
def running_example() -> Pair:
    """Return "the cat sat on the mat" as a pair, which no corpus has, so no model has seen it."""
    lexicon = load_lexicon()
    the = next(word for word in lexicon.determiners[False, "anywhere"] if word.one == "the")
    cat = next(noun for noun in lexicon.nouns["animal"] if noun.one == "cat")
    mat = next(noun for noun in lexicon.nouns["surface"] if noun.one == "mat")
    sat = next(verb for verb in lexicon.verbs[False] if verb.past == "sat")
    on = next(word for word in lexicon.prepositions if word.english == "on")
    fragments = [
        _noun_phrase(the, cat, None, plural=False),
        _verb_group(sat, "m", plural=False, negated=False),
        _idiom(on),
        _noun_phrase(the, mat, None, plural=False),
    ]
    return _pair(fragments, phrases=2)


def _wanted(pair: Pair, lexicon: Lexicon) -> bool:
    """Return whether a sentence is short enough, and has an unseen word if the lexicon has any."""
    # At most 31 words for 8 phrases: longer sentences would take time and teach nothing more.
    short_enough = len(pair.source) <= 7 + 3 * pair.phrases
    return short_enough and not (lexicon.unseen and lexicon.unseen.isdisjoint(pair.source))


# --- Drawing a sentence ---------------------------------------------------------------------------


class _Fragment(NamedTuple):
    """A part of a sentence, such as a noun phrase, in both languages, with its word links."""

    english: tuple[str, ...]
    french: tuple[str, ...]
    sure: list[Link]  # (English index, French index), counted within the fragment
    possible: list[Link]  # without the sure links


def _sentence(random: Random, lexicon: Lexicon, phrases: int) -> Pair:
    """Draw a sentence with the given number of noun phrases."""
    # No conjunction is repeated before all have been used: "because … because …" is bad style.
    conjunctions = cycle(random.sample(lexicon.conjunctions, len(lexicon.conjunctions)))
    fragments = []
    left = phrases
    while left:
        if fragments:
            fragments.append(_idiom(next(conjunctions)))
        size = min(random.choice(_CLAUSE_SIZES), left)
        fragments += _clause(random, lexicon, size)
        left -= size
    return _pair(fragments, phrases)


def _clause(random: Random, lexicon: Lexicon, phrases: int) -> list[_Fragment]:
    """Draw a clause with `phrases` noun phrases: one or two subjects, maybe an object, a place.

    Returns:
        The fragments of the clause, in order.
    """
    two_subjects = phrases > 1 and random.random() < _TWO_SUBJECTS
    rest = phrases - 1 - two_subjects
    has_object = rest == 2 or (rest == 1 and random.random() < 0.5)
    has_place = rest > has_object
    negated = random.random() < _NEGATION

    subject, gender, plural = _draw_noun_phrase(random, lexicon, _SUBJECTS)
    fragments = [subject]
    if two_subjects:
        second, second_gender, _ = _draw_noun_phrase(random, lexicon, _SUBJECTS)
        fragments += [_idiom(lexicon.conjunctions[0]), second]
        # A subject of both genders is masculine in French.
        gender, plural = max(gender, second_gender), True
    verb = random.choice(lexicon.verbs[has_object])
    fragments.append(_verb_group(verb, gender, plural, negated))
    if has_object:
        place = "negated object" if negated else "anywhere"
        object_, _, _ = _draw_noun_phrase(random, lexicon, verb.objects, place)
        fragments.append(object_)
    if has_place:
        preposition = random.choice(lexicon.prepositions)
        place = "after de" if preposition.french.endswith(" de") else "anywhere"
        noun_phrase, _, _ = _draw_noun_phrase(random, lexicon, preposition.kinds, place)
        fragments += [_idiom(preposition), noun_phrase]
    return fragments


def _draw_noun_phrase(
    random: Random, lexicon: Lexicon, kinds: tuple[Kind, ...], place: Place = "anywhere"
) -> tuple[_Fragment, Gender, bool]:
    """Draw a noun phrase; return the phrase, its gender, and whether it is plural.

    Args:
        random: source of random choices.
        lexicon: words to choose from.
        kinds: kinds of noun that are possible here, such as "person".
        place: where the phrase stands, which restricts the determiner.
    """
    kind = random.choice(kinds)
    if kind == "person" and random.random() < _NAME:
        name = random.choice(lexicon.names)
        return _name(name), name.gender, False
    plural = random.random() < _PLURAL
    determiners = lexicon.determiners[plural, place]
    (determiner,) = random.choices(determiners, [word.weight for word in determiners])
    noun = random.choice(lexicon.nouns[kind])
    adjective = random.choice(lexicon.adjectives[kind]) if random.random() < _ADJECTIVE else None
    return _noun_phrase(determiner, noun, adjective, plural), noun.gender, plural


# --- Fragments and their links --------------------------------------------------------------------


def _fragment(
    english: tuple[str, ...], french: tuple[str, ...], rendered: list[Sequence[int]]
) -> _Fragment:
    """Make a fragment, with links from each French word to the English words that it renders.

    A French word that renders a single English word has a sure link to it; if it renders several
    words together, each of these links is possible and none is sure.

    Args:
        english, french: words of the fragment.
        rendered: for each French word, the indices of the English words that it renders.
    """
    sure = [(words[0], j) for j, words in enumerate(rendered) if len(words) == 1]
    possible = [(i, j) for j, words in enumerate(rendered) if len(words) > 1 for i in words]
    return _Fragment(english, french, sure, possible)


@cache
def _noun_phrase(
    determiner: Determiner, noun: Noun, adjective: Adjective | None, plural: bool
) -> _Fragment:
    """Render a noun phrase: the black cat → le chat noir."""
    english_noun, french_noun = noun.many if plural else noun.one, noun.french[plural]
    if plural:
        english_determiner, french_determiner = determiner.many, determiner.french_many
    else:
        english_determiner = determiner.one
        forms = determiner.before_vowel if _starts_with_vowel(french_noun) else None
        french_determiner = (forms or determiner.french_one)[noun.gender == "f"]
    french_determiner = _elided(french_determiner, french_noun)
    next_word = adjective.english if adjective else english_noun
    if english_determiner == "a" and next_word.startswith(tuple("aeiou")):
        english_determiner = "an"
    if adjective is None:
        english, french = (english_determiner, english_noun), (french_determiner, french_noun)
        return _fragment(english, french, [(0,), (1,)])
    return _fragment(
        (english_determiner, adjective.english, english_noun),
        (french_determiner, french_noun, _agreeing(adjective.french, noun.gender, plural)),
        [(0,), (2,), (1,)],
    )


@cache
def _name(name: Name) -> _Fragment:
    """Render a name, which is the same in both languages."""
    return _fragment((name.one,), (name.one,), [(0,)])


@cache
def _idiom(words: Preposition | Conjunction) -> _Fragment:
    """Render a preposition or conjunction as a whole: in front of → devant; while → pendant que."""
    english, french = tuple(words.english.split()), tuple(words.french.split())
    return _fragment(english, french, [range(len(english))] * len(french))


@cache
def _verb_group(verb: Verb, gender: Gender, plural: bool, negated: bool) -> _Fragment:
    """Render a verb with its auxiliary and negation: did not sit → n'était pas assis."""
    english = _present(
        auxiliary=("was", "were")[plural] if verb.was else "did" if negated else None,
        negation="not" if negated else None,
        verb=verb.was or (verb.base if negated else verb.past),
        particle=verb.particle,
    )
    french = _present(
        ne=_elided("ne", verb.french[plural]) if negated else None,
        finite=verb.french[plural],
        pas="pas" if negated else None,
        second=_agreeing(verb.agrees, gender, plural) if verb.agrees else None,
    )
    # The auxiliary has the tense, but the verb decides on its translation: was tired, était; was
    # hungry, avait. "did not" or "was not" is rendered as a whole by ne, the finite verb and pas.
    negated_verb = ("auxiliary", "negation")
    renders = {
        "ne": negated_verb,
        "finite": (*negated_verb, "verb") if verb.agrees else (*negated_verb, "verb", "particle"),
        "pas": negated_verb,
        "second": ("verb", "particle"),
    }
    places = {role: place for place, role in enumerate(english)}
    rendered = [[places[role] for role in renders[word] if role in places] for word in french]
    return _fragment(tuple(english.values()), tuple(french.values()), rendered)


def _present(**words: str | None) -> dict[str, str]:
    """Return the keyword arguments, roles and their words, without the roles that have no word."""
    return {role: word for role, word in words.items() if word}


def _agreeing(forms: tuple[str, ...], gender: Gender, plural: bool) -> str:
    """Return the form for this gender and number; if there is only one form, return that."""
    return forms[2 * plural + (gender == "f")] if len(forms) > 1 else forms[0]


# --- From fragments to a pair ---------------------------------------------------------------------


def _pair(fragments: list[_Fragment], phrases: int) -> Pair:
    """Join the fragments of a sentence to a pair, with elision and contraction between them."""
    english, french, sure, possible, shared = [], [], [], [], set()
    for fragment in fragments:
        words = fragment.french
        i = len(english)
        if french and french[-1] in ("de", "que"):
            # The next word decides the form of de or que, which therefore belongs to both
            # fragments. Before le and les, de even merges with them.
            possible.append((i, len(french) - 1))
            shared.add(len(french) - 1)
            if french[-1] == "de" and words[0] in _AFTER_DE:
                french[-1], words = _AFTER_DE[words[0]], words[1:]
        if french:
            french[-1] = _elided(french[-1], words[0])
        j = len(french) + len(words) - len(fragment.french)
        sure += [(i + a, j + b) for a, b in fragment.sure]
        possible += [(i + a, j + b) for a, b in fragment.possible]
        english += fragment.english
        french += words
    return Pair(
        source=tuple(english),
        target=tuple(french),
        source_text=" ".join(english),
        target_text=" ".join(french).replace("' ", "'"),
        sure=frozenset(link for link in sure if link[1] not in shared),
        possible=frozenset(sure + possible),
        phrases=phrases,
    )


def _elided(word: str, following: str) -> str:
    """Return a French word in the form that it has before the following word."""
    return _ELISIONS[word] if word in _ELISIONS and _starts_with_vowel(following) else word


def _starts_with_vowel(word: str) -> bool:
    return word.startswith(_VOWELS) and word not in load_lexicon().aspirated
