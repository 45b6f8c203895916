"""The rules of both languages that leave nothing to chance: clauses, agreement, joints.

Rules for the joints of French are applied to the finished sentence: elision (l'oiseau), contraction
(au marché), "s'il", and "mon amie".
"""

from collections.abc import Iterable
from typing import NamedTuple

from utils.corpora.everyday.words import (
    PERSONS,
    Adjective,
    Forms,
    Noun,
    Pronoun,
    Verb,
    forms,
    load_everyday,
)

NEGATIONS = ("pas", "jamais")  # each with ne
BE = {"present": forms("am are is are are"), "past": forms("was were was were were")}
HAVE = forms("have have has have have")
DO = {"present": forms("do do does do do"), "past": ("did",) * PERSONS}
_VOWELS = tuple("aeiouhâéèêîôœ")  # first letters that cause an elision


class Phrase(NamedTuple):
    """A noun phrase or a pronoun in both languages, and what agrees with it."""

    english: str
    french: str
    person: int = 2
    gender: str = "m"
    kind: str = "person"
    inverted: str | None = None  # the English pronoun under which to look up "es-tu"

    @property
    def plural(self) -> bool:
        """Whether the phrase means several."""
        return self.person > 2


class Verbal(NamedTuple):
    """What is said of a subject, cut where questions and negations are put together.

    Without "do" the `finite` word is an auxiliary, which moves in front in a question.
    """

    finite: Forms
    french: Forms
    do: Forms | None = None
    base: str = ""  # instead of `finite`, behind "do"
    then: str = ""  # what follows in English: a participle, an infinitive, an adjective
    before: str = ""  # a French object pronoun before the finite verb
    second: str = ""  # what follows in French, behind pas
    times: str | None = "present"  # the times that fit
    since: tuple[str, str] = ("", "")  # for how long: at the end


class Clause(NamedTuple):
    """A clause in both languages, and whether it asks."""

    english: str
    french: str
    asks: bool = False


def state(subject: Phrase, verbal: Verbal, adverb: tuple[str, str] | None = None) -> Clause:
    """Say it: the dog sleeps; with "not" or another adverb: the dog does not sleep."""
    english, french = adverb or ("", "")
    finite = verbal.finite[subject.person]
    if english == "not" and verbal.do:
        words = [verbal.do[subject.person], "not", verbal.base]
    elif verbal.do:
        words = [english, finite]
    else:
        words = [finite, english]
    ne = "ne" if french in NEGATIONS else ""
    verb = verbal.french[subject.person]
    return Clause(
        joined([subject.english, *words, verbal.then]),
        joined([subject.french, ne, verbal.before, verb, french, verbal.second]),
    )


def ask(subject: Phrase, verbal: Verbal, question: tuple[str, str] | None = None) -> Clause:
    """Ask it: does the dog sleep → est-ce que le chien dort; with a word such as "where"."""
    english, french = question or ("", "")
    first = (verbal.do or verbal.finite)[subject.person]
    words = [english, first, subject.english, verbal.base, verbal.then]
    what = french if french.endswith("que") else joined([french, "est-ce que"])
    return Clause(joined(words), joined([what, state(subject, verbal).french]), asks=True)


def joined(words: Iterable[str]) -> str:
    """Return the words in one text, without those that are empty."""
    return " ".join(word for word in words if word)


def joined_sides(parts: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Return the English and the French text of parts that stand one behind the other."""
    english, french = (joined(side) for side in zip(*parts, strict=True))
    return english, french


def joints(words: list[str]) -> list[str]:
    """Return French words with elision and contraction: à le ami → à l' ami, à le chat → au chat.

    It runs from the end, so that a word knows what became of its successor.
    """
    rules, done = load_everyday().tables["joints"], []
    for word in reversed(words):
        following = done[-1] if done else ""
        vowel = following == "y" or begins_with_vowel(following)
        if word in rules["elided"] and vowel:
            done.append(f"{word[:-1]}'")
        elif word in rules["before_vowel"] and vowel:
            done.append(rules["before_vowel"][word])
        elif f"{word} {following}" in rules["contracted"]:
            done[-1:] = reversed(rules["contracted"][f"{word} {following}"].split())
        else:
            done.append(word)
    return done[::-1]


def begins_with_vowel(word: str) -> bool:
    """Return whether a French word takes l' before it: l'homme, but le héros."""
    aspirated = load_everyday().tables["joints"]["aspirated"]
    return word.startswith(_VOWELS) and not word.startswith((*aspirated,))


def with_articles(words: list[str]) -> list[str]:
    """Return English words with "an" in place of "a" before a vowel."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return ["an" if word == "a" and after[:1] in "aeiou" else word for word, after in pairs]


def shortened(words: list[str], contractions: dict[str, str]) -> list[str]:
    """Return English words as they are spoken: i am → i 'm, do not → do n't."""
    spoken, at = [], 0
    while at < len(words):
        short = contractions.get(" ".join(words[at : at + 2]))
        spoken += short.split() if short else [words[at]]
        at += 2 if short else 1
    return spoken


def as_subject(pronoun: Pronoun) -> Phrase:
    """Return a pronoun as a subject."""
    return Phrase(
        pronoun.english, pronoun.french, pronoun.person, pronoun.gender, inverted=pronoun.english
    )


def posture_of(verb: Verb, subject: Phrase) -> str:
    """Return how somebody sits or lies: elle est assise; "" for any other verb."""
    forms_of = verb.posture
    return forms_of[2 * subject.plural + (subject.gender == "f")] if forms_of else ""


def agreeing(participle: str, gender: str, plural: bool) -> str:
    """Return a participle that agrees: allé, allée, allés, allées; an s at its end stays one."""
    feminine = participle + "e" * (gender == "f")
    return feminine + "s" * (plural and not feminine.endswith("s"))


def definite_article(noun: Noun, plural: bool) -> str:
    """Return the French article for all of a kind: i like milk → j'aime le lait."""
    return "les" if plural else "la" if noun.gender == "f" else "le"


def partitive_article(
    noun: Noun, plural: bool, place: str, adjectives: tuple[Adjective, ...]
) -> str:
    """Return the French for an amount: du lait, de la soupe, des chats; after a negation de."""
    if place == "de":
        return ""
    if place == "negated" or (plural and any(word.before for word in adjectives)):
        return "de"
    return "des" if plural else f"de {definite_article(noun, plural)}"


def render_noun_phrase(
    noun: Noun, adjectives: tuple[Adjective, ...], plural: bool, english: str, french: str
) -> Phrase:
    """Render a noun phrase: my old friend → mon vieil ami; a big red car → une grande voiture …"""
    words = [noun.french[plural]]
    for adjective in adjectives:
        form = adjective.french[2 * plural + (noun.gender == "f")]
        words = [form, *words] if adjective.before else [*words, form]
    before_vowel = load_everyday().tables["before_vowel"]
    words = [*french.split(), *words]
    for place, word in enumerate(words[:-1]):
        if not plural and word in before_vowel and begins_with_vowel(words[place + 1]):
            words[place] = before_vowel[word]
    return Phrase(
        joined([english, *(adjective.english for adjective in adjectives), noun.english[plural]]),
        " ".join(words),
        4 if plural else 2,
        noun.gender,
        noun.kind,
    )
