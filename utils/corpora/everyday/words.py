"""The words of `words.toml` (its comments explain the entries), with the forms that rules make."""

import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

PERSONS = 5  # I, you, he or she, we, they: the places of a verb's forms
Forms = tuple[str, str, str, str, str]  # of a verb, by person


class Noun(NamedTuple):
    """A noun, singular and plural in both languages; a profession has feminine forms, too."""

    english: tuple[str, str]
    french: tuple[str, str]
    gender: str
    kind: str
    feminine: tuple[str, str] | None = None


class Adjective(NamedTuple):
    """An adjective: French forms m, f, m plural, f plural; whether they stand before the noun."""

    english: str
    french: tuple[str, ...]
    kinds: frozenset[str]
    before: bool


class Determiner(NamedTuple):
    """A determiner: English singular and plural, French m, f and plural; "" where it has none."""

    english: tuple[str, str]
    french: tuple[str, str, str]
    weight: float


class Pronoun(NamedTuple):
    """A personal pronoun as a subject, as an object, and after a preposition."""

    english: str
    french: str
    person: int
    gender: str
    object: tuple[str, str]  # English, French
    dative: str  # French: je lui donne
    strong: str


class Verb(NamedTuple):
    """A verb, with all forms that the grammar uses; `words.toml` explains the rest."""

    present: Forms
    base: str
    ing: str | None
    past: str | None
    perfect: str
    french: Forms
    infinitive: str
    participle: str
    imperfect: Forms | None
    objects: frozenset[str]
    link: tuple[str, str]
    generic: bool
    pronoun: bool
    article: bool
    modal: bool
    determiner: str | None
    être: bool
    goes: bool
    place: bool
    polite: str | None
    posture: tuple[str, ...] | None  # French forms of the adjective that says it, behind être
    recipient: str | None
    reflexive: bool
    then: str
    own: str
    tail: str

    @property
    def alone(self) -> bool:
        """Whether nothing has to stand beside it: "he sleeps", and not "he washes his hands"."""
        return not (
            self.objects or self.place or self.posture or self.then or self.own or self.reflexive
        )

    @property
    def lasting(self) -> Forms:
        """The French imperfect: nous mangeons → je mangeais, nous mangions."""
        if self.imperfect:
            return self.imperfect
        stem = self.french[3].removesuffix("ons")
        soft = stem[:-1] + "c" if stem.endswith("ç") else stem.removesuffix("e")
        return (f"{stem}ais", f"{stem}ais", f"{stem}ait", f"{soft}ions", f"{stem}aient")


class Modal(NamedTuple):
    """A verb before another one; `auxiliary` is English, and makes questions without "do"."""

    auxiliary: str | None
    forms: Forms
    base: str
    then: str
    french: Forms
    link: str
    ing: bool


class Preposition(NamedTuple):
    """A preposition, the kinds of things before which it stands, and of what it is never said."""

    english: str
    french: str
    kinds: frozenset[str]
    never: frozenset[str]


@dataclass(frozen=True, eq=False)
class Everyday:
    """All words, arranged for the look-ups of the grammar; `tables` are those without rules."""

    nouns: list[Noun]
    adjectives: list[Adjective]
    determiners: dict[str, Determiner]
    pronouns: list[Pronoun]
    names: dict[str, str]
    verbs: list[Verb]
    modals: dict[str, Modal]
    prepositions: dict[str, list[Preposition]]  # "prepositions", "toward", "behind_object"
    kinds: dict[str, list[str]]
    tables: dict

    @cache  # noqa: B019 (there is one such object)
    def of_kinds(self, kinds: frozenset[str]) -> list[Noun]:
        """Return the nouns of some kinds, the first of each kind, which are frequent, in front."""
        ranks = Counter()
        ranked = []
        for noun in self.nouns:
            ranks[noun.kind] += 1
            if noun.kind in kinds:
                ranked.append((ranks[noun.kind], noun))
        return [noun for _, noun in sorted(ranked, key=lambda entry: entry[0])]

    @cache  # noqa: B019
    def describing(self, kind: str) -> list[Adjective]:
        """Return the adjectives that a kind of noun may have."""
        return [adjective for adjective in self.adjectives if kind in adjective.kinds]


@cache
def load_everyday() -> Everyday:
    """Load the words, with all their forms."""
    data = tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))
    kinds = {name: text.split() for name, text in data["kinds"].items()}

    def spread(text: str) -> frozenset[str]:
        """Return the kinds that a text names, those that are made of kinds in their parts."""
        return frozenset(part for name in text.split() for part in kinds.get(name, [name]))

    return Everyday(
        nouns=[
            _noun(english, french, kind, data["plurals"])
            for kind, entries in data["nouns"].items()
            for english, french in entries.items()
        ],
        adjectives=[
            Adjective(
                english,
                _adjective_forms(entry["french"], data["plurals"]["french"]),
                spread(entry["kinds"]),
                place == "before",
            )
            for place, entries in data["adjectives"].items()
            for english, entry in entries.items()
        ],
        determiners={
            name: Determiner((entry["one"], entry["many"]), (*entry["french"],), entry["weight"])
            for name, entry in data["determiners"].items()
        },
        pronouns=[
            Pronoun(
                english,
                entry["french"],
                entry["person"],
                entry.get("gender", "m"),
                (*entry["object"],),
                entry.get("dative", entry["object"][1]),
                entry.get("strong", ""),
            )
            for english, entry in data["pronouns"].items()
        ],
        names=data["names"],
        verbs=[
            _verb(key, entry, spread, data["participles"]) for key, entry in data["verbs"].items()
        ],
        modals={name: _modal(entry) for name, entry in data["modals"].items()},
        prepositions={
            table: [
                Preposition(
                    english, entry["french"], spread(entry["kinds"]), spread(entry.get("never", ""))
                )
                for english, entry in data[table].items()
            ]
            for table in ("prepositions", "toward", "behind_object")
        },
        kinds=kinds,
        tables=data,
    )


def forms(text: str) -> Forms:
    """Return the five forms that a text lists."""
    return (*text.split(),)


def _english_plural(word: str, irregular: dict[str, str]) -> str:
    """Return an English plural: cats, boxes, cities."""
    if word in irregular:
        return irregular[word]
    if word[-1] == "y" and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "sh", "ch", "x", "z")) else f"{word}s"


def _plural(word: str, irregular: dict[str, str]) -> str:
    """Return a French plural: chats, bateaux, journaux."""
    if word in irregular:
        return irregular[word]
    if word.endswith("al"):
        return f"{word[:-2]}aux"
    if word.endswith(("au", "eu")) and word != "bleu":
        return f"{word}x"
    return word if word[-1] in "sxz" else f"{word}s"


def _noun(english: str, french: str, kind: str, plurals: dict) -> Noun:
    """Make a noun of an entry such as cat = "un chat"."""
    article, one = french.split(maxsplit=1)
    one, *feminine = one.split() if kind == "job" else [one]
    return Noun(
        (english, _english_plural(english, plurals["english"])),
        (one, _plural(one, plurals["french"])),
        "f" if article == "une" else "m",
        kind,
        (feminine[0], _plural(feminine[0], plurals["french"])) if feminine else None,
    )


def _adjective_forms(text: str, irregular: dict[str, str]) -> tuple[str, ...]:
    """Return the four forms of a French adjective, of which the text may leave out regular ones."""
    masculine, *others = text.split()
    if len(others) == 3:
        return masculine, *others
    feminine = others[0] if others else masculine if masculine[-1] == "e" else f"{masculine}e"
    return masculine, feminine, _plural(masculine, irregular), _plural(feminine, irregular)


def _verb(key: str, entry: dict, spread, participles: dict[str, str]) -> Verb:
    """Make a verb of an entry, with the forms that it leaves out."""
    base = entry.get("base", key)
    english = entry["english"].split() if "english" in entry else _regular(base)
    third, ing, past = (None if form == "-" else form for form in english)
    infinitive, *conjugated = entry["french"].split()
    *present, participle = conjugated or _conjugated(infinitive)
    return Verb(
        present=(base, base, third, base, base),
        base=base,
        ing=ing,
        past=past,
        perfect=participles.get(base, past or base),
        french=(*present,),
        infinitive=infinitive,
        participle=participle,
        imperfect=forms(entry["imperfect"]) if "imperfect" in entry else None,
        objects=spread(entry.get("objects", "")),
        link=(*entry.get("link", ("", "")),),
        generic=entry.get("generic", False),
        pronoun=entry.get("pronoun", True),
        article=entry.get("article", True),
        modal=entry.get("modal", True) and not entry.get("generic", False),
        determiner=entry.get("determiner"),
        être=entry.get("être", False),
        goes=entry.get("goes", False),
        place=entry.get("place", False),
        polite=entry.get("polite"),
        posture=_adjective_forms(entry["posture"], {}) if "posture" in entry else None,
        recipient=entry.get("recipient"),
        reflexive=entry.get("reflexive", False),
        then=entry.get("then", ""),
        own=entry.get("own", ""),
        tail=entry.get("tail", ""),
    )


def _regular(base: str) -> list[str]:
    """Return the regular English forms of a verb: tries, trying, tried."""
    stem = base.removesuffix("e")
    if base[-1] == "y" and base[-2] not in "aeiou":
        return [f"{base[:-1]}ies", f"{base}ing", f"{base[:-1]}ied"]
    third = f"{base}es" if base.endswith(("s", "sh", "ch", "x", "z")) else f"{base}s"
    return [third, f"{stem}ing", f"{stem}ed"]


def _conjugated(infinitive: str) -> list[str]:
    """Return the present and the participle of a French verb in -er, -ir or -re: nous mangeons."""
    stem, kind = infinitive[:-2], infinitive[-2:]
    if kind == "er":
        soft = {"g": f"{stem}e", "c": f"{stem[:-1]}ç"}.get(stem[-1], stem)
        return [f"{stem}e", f"{stem}es", f"{stem}e", f"{soft}ons", f"{stem}ent", f"{stem}é"]
    endings = {
        "ir": ("is", "is", "it", "issons", "issent", "i"),
        "re": ("s", "s", "", "ons", "ent", "u"),
    }
    return [stem + ending for ending in endings[kind]]


def _modal(entry: dict) -> Modal:
    """Make a modal of an entry, with "want wants" spread to all persons."""
    base, third = entry.get("forms", "- -").split()
    return Modal(
        auxiliary=entry.get("auxiliary"),
        forms=(base, base, third, base, base),
        base=base,
        then=entry["then"],
        french=forms(entry["french"]),
        link=entry.get("link", ""),
        ing=entry.get("ing", False),
    )
