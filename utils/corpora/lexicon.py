"""Load the words of `lexicon.toml`, whose comments explain the entries, for the grammar."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

Gender = Literal["m", "f"]
Kind = Literal["person", "animal", "surface", "space"]
Place = Literal["anywhere", "negated object", "after de"]
Unseen = Literal["nouns", "names"] | None

# Entries are compared by identity, so they are cheap as keys of a cache.
_entry = dataclass(frozen=True, slots=True, eq=False)


@_entry
class Determiner:
    """A determiner: its singular and plural forms, and the places where it may stand."""

    one: str | None = None
    many: str | None = None
    french_one: tuple[str, str] | None = None
    french_many: str | None = None
    before_vowel: tuple[str, str] | None = None
    only: Place | None = None
    never: tuple[Place, ...] = ()
    weight: int = 1

    def fits(self, plural: bool, place: Place) -> bool:
        """Return whether the determiner has a form of this number that may stand in this place."""
        has_number = self.many if plural else self.one
        return bool(has_number) and self.only in (None, place) and place not in self.never


@_entry
class Noun:
    """A noun: its singular and plural in English and French, its gender, and its kind.

    The kind, such as "person" or "surface", decides which words it can be combined with.
    """

    one: str
    many: str
    french: tuple[str, str]
    gender: Gender
    kind: Kind
    unseen: bool = False


@_entry
class Name:
    """A person's name, the same in both languages."""

    one: str
    gender: Gender
    unseen: bool = False


@_entry
class Adjective:
    """An adjective in English, its French forms, and the kinds of nouns that it may describe."""

    english: str
    french: tuple[str, ...]
    kinds: tuple[Kind, ...]


@_entry
class Verb:
    """A verb: its forms in English and French, and the kinds of its objects, if it takes any.

    `agrees` has the forms of a second French word that agrees with the subject, such as the
    participle in "était assise".
    """

    french: tuple[str, str]
    past: str | None = None
    base: str | None = None
    was: str | None = None
    particle: str | None = None
    agrees: tuple[str, ...] | None = None
    objects: tuple[Kind, ...] = ()


@_entry
class Preposition:
    """A preposition in both languages, and the kinds of nouns before which it may stand."""

    english: str
    french: str
    kinds: tuple[Kind, ...]


@_entry
class Conjunction:
    """A conjunction in both languages."""

    english: str
    french: str


class Lexicon(NamedTuple):
    """All words of the corpus, sorted by what the grammar asks for.

    Attributes:
        determiners: (whether plural, place in the sentence) → the determiners that fit.
        nouns: kind, such as "person" → the nouns of this kind.
        adjectives: kind → the adjectives that may describe nouns of this kind.
        verbs: True → the verbs that take an object; False → the others.
        names, prepositions, conjunctions: lists of all.
        aspirated: French words with an aspirated h, which allows no elision.
        unseen: English forms of the unseen words that are included.
    """

    determiners: dict[tuple[bool, Place], list[Determiner]]
    nouns: dict[Kind, list[Noun]]
    names: list[Name]
    adjectives: dict[Kind, list[Adjective]]
    verbs: dict[bool, list[Verb]]
    prepositions: list[Preposition]
    conjunctions: list[Conjunction]
    aspirated: frozenset[str]
    unseen: frozenset[str]


@cache
def load_lexicon(unseen: Unseen = None) -> Lexicon:
    """Load the words for training, plus the unseen nouns or names if `unseen` asks for them.

    Args:
        unseen: "nouns", "names" or None.

    Raises:
        ValueError: `unseen` is something else.
    """
    if unseen not in (None, "nouns", "names"):
        raise ValueError(f'unseen must be None, "nouns" or "names", got {unseen!r}')
    data = _frozen(tomllib.loads((files(__package__) / "lexicon.toml").read_text("utf-8")))
    determiners = [Determiner(**entry) for entry in data["determiners"]]
    nouns = [Noun(one, **entry) for one, entry in data["nouns"].items()]
    names = [Name(name, **entry) for name, entry in data["names"].items()]
    adjectives = [Adjective(english, **entry) for english, entry in data["adjectives"].items()]
    verbs = [Verb(**entry) for entry in data["verbs"]]

    nouns = [noun for noun in nouns if not noun.unseen or unseen == "nouns"]
    names = [name for name in names if not name.unseen or unseen == "names"]
    forms = {form for noun in nouns if noun.unseen for form in (noun.one, noun.many)}
    forms |= {name.one for name in names if name.unseen}
    kinds = sorted({noun.kind for noun in nouns})
    both = (False, True)
    return Lexicon(
        determiners={
            (plural, place): [entry for entry in determiners if entry.fits(plural, place)]
            for plural in both
            for place in get_args(Place)
        },
        nouns={kind: [noun for noun in nouns if noun.kind == kind] for kind in kinds},
        names=names,
        adjectives={kind: [word for word in adjectives if kind in word.kinds] for kind in kinds},
        verbs={takes: [verb for verb in verbs if bool(verb.objects) == takes] for takes in both},
        prepositions=[Preposition(word, **entry) for word, entry in data["prepositions"].items()],
        conjunctions=[Conjunction(*words) for words in data["conjunctions"].items()],
        aspirated=frozenset(data["aspirated"]),
        unseen=frozenset(forms),
    )


def _frozen(data):
    """Replace all lists inside parsed TOML with tuples, so that entries are hashable."""
    if isinstance(data, dict):
        return {key: _frozen(value) for key, value in data.items()}
    return tuple(map(_frozen, data)) if isinstance(data, list) else data
