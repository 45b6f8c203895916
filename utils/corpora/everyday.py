"""Everyday English sentences with their French translation, from some 3,000 words.

    Where is my old cat? → où est mon vieux chat ?

A wider sister of the corpus in `grammar.py`, for translators that visitors talk to: the present
and the past, questions, commands, greetings, pronouns as subjects and objects, comparisons, clauses
in clauses, and ready-made patterns of everyday talk. It has no gold alignments, and nothing in the
notebooks is made from it. An English sentence has exactly one translation; "you" is one friend, the
French tu.

The words are in `everyday.toml`. Rules for the joints of French are applied to the finished
sentence: elision (l'oiseau), contraction (au marché), "s'il", and "mon amie".
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from typing import NamedTuple

from utils.corpora.everyday_lexicon import (
    PERSONS,
    Adjective,
    Everyday,
    Forms,
    Noun,
    Preposition,
    Pronoun,
    Verb,
    forms,
    load_everyday,
)
from utils.corpora.grammar import phrase_range
from utils.corpora.pairs import Corpus, Pair, split
from utils.corpora.text import detokenise

_MINE = ("my", "your", "his", "her", "our", "their")
_CLAUSE_SIZES = (1, 1, 2, 2, 3)  # phrases
_MOST_REJECTED = 5_000  # rejected sentences in a row before the grammar gives up
_LONGEST = (8, 3)  # words: so many, and so many more for each phrase

_OWN = {0: "my", 1: "your", 3: "our", 4: "their"}
_REFLEXIVE = ("me", "te", "se", "nous", "se")
_NEGATIONS = ("pas", "jamais")  # each with ne
_VOWELS = tuple("aeiouhâéèêîôœ")  # first letters that cause an elision
# Words before which there is none all the same.
_ASPIRATED = (
    *("hibou", "hamster", "héros", "hamburger", "hockey", "haricot", "hérisson", "huit", "haut"),
    *("harpe", "harry", "onze", "oui"),
)
_MY = {"ma": "mon", "ta": "ton", "sa": "son"}  # before a vowel
_ELIDED = {"le", "la", "de", "que", "ne", "je", "me", "te", "se"}
_CONTRACTED = {
    ("de", "le"): "du",
    ("de", "les"): "des",
    ("à", "le"): "au",
    ("à", "les"): "aux",
    ("si", "il"): "s' il",
    ("si", "ils"): "s' ils",
    ("ce", "est"): "c' est",
    ("ce", "était"): "c' était",
    ("ce", "étaient"): "c' étaient",
}
_BE = {"present": ("am", "are", "is", "are", "are"), "past": ("was", "were", "was", "were", "were")}
_HAVE = ("have", "have", "has", "have", "have")
_DO = {"present": ("do", "do", "does", "do", "do"), "past": ("did",) * PERSONS}


def everyday_corpus(
    pairs: int = 40_000, phrases: int | tuple[int, int] = (1, 8), seed: int = 0
) -> Corpus:
    """Generate a corpus of everyday sentences; no sentence of either language occurs twice.

    Args:
        pairs: the number of pairs; 5 % of them go to validation, 5 % to test.
        phrases: noun phrases and pronouns per sentence, as (fewest, most), few more
            often than many; or one number for all sentences.
        seed: the same seed gives the same corpus on every machine.

    Raises:
        ValueError: `pairs` is below 3, `phrases` is not a range of numbers from 1 up, or the
            grammar has too few sentences with so few phrases.
    """
    return split([[pair] for pair in everyday_pairs(pairs, phrases, seed)], seed)


def everyday_pairs(
    pairs: int, phrases: int | tuple[int, int] = (1, 8), seed: int = 0
) -> list[Pair]:
    """Generate distinct pairs in one list; arguments and errors as for `everyday_corpus`."""
    fewest, most = phrase_range(phrases)
    if pairs < 1:
        raise ValueError(f"pairs must be 1 or more, got {pairs}")
    random, words = Random(seed), load_everyday()
    taken, generated, rejected = set(), [], 0
    while len(generated) < pairs:
        count = min(random.randint(fewest, most), random.randint(fewest, most))
        pair = _Drawing(random, words).sentence(count)
        too_long = len(pair.source) > _LONGEST[0] + _LONGEST[1] * count
        if too_long or pair.source in taken or pair.target in taken:
            rejected += 1
            if rejected == _MOST_REJECTED:
                raise ValueError(
                    f"the grammar has too few sentences of phrases={count} for pairs={pairs:,}: "
                    "ask for fewer pairs or more phrases"
                )
            continue
        rejected = 0
        taken |= {pair.source, pair.target}
        generated.append(pair)
    return generated


_ASKING = (
    "est-ce",
    "où",
    "qu'est-ce",
    "quel",
    "qui",
    "comment",
    "combien",
    "à quelle",
    "de quelle",
    "que veut",
    "quand est",
)


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


_YOU = Phrase("you", "tu", 1)


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


Filling = Callable[[str, int], str]  # from the head of a place and the side, 1 for French, to words


class Clause(NamedTuple):
    """A clause in both languages, and whether it asks."""

    english: str
    french: str
    asks: bool = False


# --- Putting a clause together --------------------------------------------------------------------


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
    ne = "ne" if french in _NEGATIONS else ""
    verb = verbal.french[subject.person]
    return Clause(
        _joined([subject.english, *words, verbal.then]),
        _joined([subject.french, ne, verbal.before, verb, french, verbal.second]),
    )


def ask(subject: Phrase, verbal: Verbal, question: tuple[str, str] | None = None) -> Clause:
    """Ask it: does the dog sleep → est-ce que le chien dort; with a word such as "where"."""
    english, french = question or ("", "")
    first = (verbal.do or verbal.finite)[subject.person]
    words = [english, first, subject.english, verbal.base, verbal.then]
    what = french if french.endswith("que") else _joined([french, "est-ce que"])
    return Clause(_joined(words), _joined([what, state(subject, verbal).french]), asks=True)


def _joined(words: Iterable[str]) -> str:
    return " ".join(word for word in words if word)


def joints(words: list[str]) -> list[str]:
    """Return French words with elision and contraction: à le ami → à l' ami, à le chat → au chat.

    It runs from the end, so that a word knows what became of its successor.
    """
    done: list[str] = []
    for word in reversed(words):
        following = done[-1] if done else ""
        vowel = following == "y" or _begins_with_vowel(following)
        if word in _ELIDED and vowel:
            done.append(f"{word[:-1]}'")
        elif word in _MY and vowel:
            done.append(_MY[word])
        elif (word, following) in _CONTRACTED:
            done[-1:] = reversed(_CONTRACTED[word, following].split())
        else:
            done.append(word)
    return done[::-1]


def _begins_with_vowel(word: str) -> bool:
    """Return whether a French word takes l' before it: l'homme, but le héros."""
    return word.startswith(_VOWELS) and not word.startswith(_ASPIRATED)


def _articles(words: list[str]) -> list[str]:
    """Return English words with "an" in place of "a" before a vowel."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return ["an" if word == "a" and after[:1] in "aeiou" else word for word, after in pairs]


def _shortened(words: list[str], contractions: dict[str, str]) -> list[str]:
    """Return English words as they are spoken: i am → i 'm, do not → do n't."""
    spoken, at = [], 0
    while at < len(words):
        short = contractions.get(" ".join(words[at : at + 2]))
        spoken += short.split() if short else [words[at]]
        at += 2 if short else 1
    return spoken


# --- Drawing a sentence ---------------------------------------------------------------------------


class _Drawing:
    """Draws a sentence: every method makes one kind of part, by chance."""

    def __init__(self, random: Random, words: Everyday):
        self.random = random
        self.words = words
        self.tables = words.tables

    def chance(self, share: float) -> bool:
        """Return True so often."""
        return self.random.random() < share

    def frequent(self, words: list):
        """Return one word, those in front more often."""
        return words[min(self.random.randrange(len(words)) for _ in range(2))]

    def entry(self, *table: str) -> tuple[str, str]:
        """Return one entry of a table, English and French."""
        entries = self.tables
        for name in table:
            entries = entries[name]
        return self.random.choice([*entries.items()])

    # Sentences and clauses

    def sentence(self, phrases: int) -> Pair:
        """Draw a sentence: maybe a greeting, clauses, maybe an ending, maybe a mark."""
        if phrases == 1 and self.chance(0.04):
            return self.pair(self.hail(), phrases)
        parts, left = [*self.greeting(0.1 if phrases > 1 else 0.15)], phrases
        ahead = phrases > 1 and self.chance(0.1)
        if ahead:  # if it rains, i stay at home
            first, size = self.clause(left - 1, first=False)
            comma = [(",", ",")] * self.chance(0.6)
            parts += [self.entry("ahead"), (first.english, first.french), *comma]
            left -= size
        clause, size = self.clause(left, first=not ahead)
        parts.append((clause.english, clause.french))
        left, asks, joint = left - size, clause.asks, ("", "")
        while left > 0:
            last = joint
            while joint == last or (asks and joint[0] == "so"):
                joint = self.entry("conjunctions")
            clause, size = self.clause(left, first=False)
            parts += [joint, (clause.english, clause.french)]
            left -= size
        if self.chance(0.05):
            parts += [(",", ",")] * self.chance(0.6) + [self.entry("endings")]
        mark = "?" if asks else self.random.choice(".!")
        parts += [(mark, mark)] * self.chance(0.7 if asks else 0.4)
        return self.pair(parts, phrases)

    def pair(self, parts: list[tuple[str, str]], phrases: int) -> Pair:
        """Join the parts, with the joints of both languages."""
        english, french = (_joined(side).split() for side in zip(*parts, strict=True))
        english = _articles(english)
        if self.chance(0.5):
            english = _shortened(english, self.tables["contractions"])
        french = joints(french)
        return Pair(
            source=(*english,),
            target=(*french,),
            source_text=detokenise(english),
            target_text=detokenise(french),
            phrases=phrases,
        )

    def hail(self) -> list[tuple[str, str]]:
        """Draw a greeting that is the whole sentence: hello; good morning, my friends!"""
        name = self.random.choice([*self.words.names])
        called = self.entry("everybody") if self.chance(0.4) else (name, name)
        parts = [self.entry("greetings"), *[(",", ","), called][self.chance(0.5) :]]
        mark = self.random.choice(".!")
        return parts[: self.random.choice((1, 3))] + [(mark, mark)] * self.chance(0.4)

    def greeting(self, share: float) -> list[tuple[str, str]]:
        """Draw nothing, or a greeting, maybe with a name: hello, anna,"""
        if not self.chance(share):
            return []
        comma = [(",", ",")] * self.chance(0.7)
        name = self.random.choice([*self.words.names])
        called = [*comma, (name, name)] * self.chance(0.25)
        again = [*comma, self.entry("greetings")] * self.chance(0.15)
        return [self.entry("greetings"), *called, *again, *comma]

    def clause(self, left: int, first: bool) -> tuple[Clause, int]:
        """Draw a clause, and return how many of the phrases left it has. Only the first may ask."""
        size = min(self.random.choice(_CLAUSE_SIZES), left)
        if self.chance(0.16):
            clause = self.pattern()
            if first or not clause.asks:
                return clause, size
        if size == 1 and self.chance(0.25):
            return self.ready_made(first), 1
        if first and self.chance(0.35):
            return self.question(size), size
        if first and self.chance(0.06):
            return self.command(size), size
        clause = self.statement(size)
        if self.chance(0.06):
            opener = self.report() if self.chance(0.5) else Clause(*self.entry("openers"))
            if opener.english.endswith(" who"):
                clause = self.who_does(size)
            english, french = _joined((opener.english, clause.english)), opener.french
            clause = Clause(english, _joined((french, clause.french)))
        return clause, size

    def report(self) -> Clause:
        """Draw who thinks what follows: my sister thinks that → ma sœur pense que."""
        english, french = self.entry("reports")
        subject, that = self.subject(), "that" if self.chance(0.6) else ""
        verb = f"{english}s" if subject.person == 2 else english
        conjugated = forms(french)[subject.person]
        return Clause(f"{subject.english} {verb} {that}", f"{subject.french} {conjugated} que")

    def pattern(self) -> Clause:
        """Draw a clause of the table of patterns, and words for its places."""
        pattern = self.entry("patterns")
        drawn: dict[str, list[Filling]] = {}  # what was drawn for the places of the same kinds
        sides = []
        for side, text in enumerate(pattern):
            places: Counter = Counter()
            words = []
            for piece in re.split(r"({[^}]*})", text):
                if not piece.startswith("{"):
                    words.append(piece)
                    continue
                head, _, kinds = piece[1:-1].partition(" ")
                key = kinds or head.removesuffix("ing")
                found = drawn.setdefault(key, [])
                if places[key] == len(found):
                    found.append(self.filling(head, kinds))
                words.append(found[places[key]](head, side))
                places[key] += 1
            sides.append(_joined(" ".join(words).split()))
        return Clause(*sides, asks=pattern[1].startswith(_ASKING))

    def filling(self, head: str, kinds: str) -> Filling:
        """Draw what stands in a place of a pattern; see `[patterns]` in the table of words."""
        if head in ("do", "doing", "we"):
            return self.filling_verb(alone=kinds == "alone")
        if head == "so":
            form, kind = kinds.split()
            fitting = [word for word in self.words.adjectives if kind in word.kinds]
            adjective = self.random.choice(fitting)
            return lambda _, side: adjective.french[int(form)] if side else adjective.english
        if head == "place":
            said = self.place()
        elif head == "who":
            is_name = self.chance(0.3)
            said = self.name() if is_name else self.noun_phrase(frozenset({"relative"}), bare=False)
        elif head in ("time", "number", "country"):
            said = self.entry(
                *{"time": ("times", kinds), "country": ("countries",)}.get(head, ("numbers",))
            )
        else:
            return self.filling_noun(head, frozenset(kinds.split()))
        return lambda _, side: said[side]

    def filling_verb(self, alone: bool) -> Filling:
        """Draw what is done in a pattern: write a letter; writing a letter; écrivons une lettre."""
        english, french, verb = self.doing(alone)
        forms_of = {
            ("doing", 0): english.replace(verb.base, verb.ing, 1),
            ("we", 1): french.replace(verb.infinitive, verb.french[3], 1),
        }
        return lambda head, side: forms_of.get((head, side), (english, french)[side])

    def filling_noun(self, head: str, kinds: frozenset[str]) -> Filling:
        """Draw a noun of some kinds (and of a gender, m or f) for a pattern."""
        gender = next((mark for mark in "mf" if mark in kinds), None)
        fitting = [noun for noun in self.words.of_kinds(kinds) if gender in (None, noun.gender)]
        noun = self.frequent(fitting)
        mass = noun.kind in self.words.kinds["uncounted"] or noun.kind in self.words.kinds["mass"]
        several = noun.kind in self.words.kinds["several"]
        plural = several or head in ("many", "all") or (head == "every" and not mass)
        determiner = ("", "")
        if head == "a":
            determiner = self.determiner(noun, plural, "", None)
            if noun.kind in self.tables["only"]:
                determiner = self.determiner(noun, plural, "", ("my", "your", "his", "her"))
        elif head in ("the", "this"):
            determiner = self.determiner(noun, plural, "", (head,))
        every = _every(noun, plural)
        if noun.kind == "sky":
            determiner = ("the", every)
        adjectives = self.adjectives_for(noun) if head in ("a", "the") else ()

        def words(head: str, side: int) -> str:
            if head == "fem" and side:
                return noun.feminine[0]
            english = "some" if head == "some" else determiner[0]
            french = {
                "a": determiner[1],
                "this": determiner[1],
                "the": determiner[1] or every,
                "every": every,
                "all": "les",
                "some": _some(noun, plural, "", ()),
                "whole": f"{'toute' if noun.gender == 'f' else 'tout'} {every}",
            }.get(head, "")
            return _noun_phrase(noun, adjectives, plural, english, french)[side]

        return words

    def doing(self, alone: bool = False) -> tuple[str, str, Verb]:
        """Draw what one can do, in English and as a French infinitive, and its verb."""
        verbs = [
            verb for verb in self.words.verbs if verb.modal and verb.ing and not verb.reflexive
        ]
        if alone:
            verbs = [verb for verb in verbs if verb.alone]
        else:
            verbs = [verb for verb in verbs if not (verb.own or verb.posture)]
        bare = self.chance(0.35)
        verb = self.random.choice([verb for verb in verbs if alone or bool(verb.objects) != bare])
        parts = [(verb.base, verb.infinitive), (verb.then, verb.tail)]
        if verb.objects:
            parts.append(self.object(verb, negated=False))
        if verb.place or (verb.objects and not alone and self.chance(0.2)):
            parts.append(self.place(verb))
        english, french = (_joined(side) for side in zip(*parts, strict=True))
        return english, french, verb

    def ready_made(self, first: bool) -> Clause:
        """Draw a clause that is learned as a whole: it is raining; how are you; my name is anna."""
        kinds = ("clauses", "exclamations", "asked", "called")
        (kind,) = self.random.choices(kinds, [len(self.tables[kind]) + 20 for kind in kinds])
        if not first:
            kind = "clauses"
        clause = self.entry(kind)
        if kind == "called":
            wanted = {"his": "m", "her": "f"}.get(clause[0].split()[0])
            names = [name for name, gender in self.words.names.items() if wanted in (None, gender)]
            name = self.random.choice(names)
            return Clause(f"{clause[0]} {name}", f"{clause[1]} {name}")
        if kind in ("clauses", "asked") and "name" not in clause[0] and self.chance(0.25):
            time = self.entry("times", "present")
            clause = (f"{clause[0]} {time[0]}", f"{clause[1]} {time[1]}")
        return Clause(*clause, asks=kind == "asked")

    def statement(self, size: int) -> Clause:
        """Draw a statement: with a verb, or with "is"."""
        adverb = self.adverb()
        negated = adverb is not None and adverb[1] in _NEGATIONS
        subject, verbal, rest = self.predicate(size, negated)
        while negated and verbal.base == "have" and verbal.then:  # not have to ≠ ne pas devoir
            subject, verbal, rest = self.predicate(size, negated)
        return self.completed(state(subject, verbal, adverb), verbal, rest)

    def command(self, size: int) -> Clause:
        """Draw a command to one friend: open the door; please do not sleep."""
        negated = self.chance(0.2)
        fitting = [
            verb
            for verb in self.words.verbs
            if verb.ing and bool(verb.objects) == (size > 1) and not (verb.place or verb.posture)
        ]
        verb = self.random.choice(fitting)
        french = verb.french[1]
        if verb.infinitive.endswith("er") or french.endswith("es"):
            french = french.removesuffix("s")
        clitic = ("", "")
        if verb.reflexive:
            clitic = ("", "toi")
        elif verb.recipient == "both" and self.chance(0.6):
            clitic = self.random.choice(
                (("me", "moi"), ("me", "moi"), ("him", "lui"), ("us", "nous"))
            )
        elif "person" in verb.objects and verb.pronoun and not verb.generic and self.chance(0.3):
            clitic = self.random.choice((("me", "moi"), ("us", "nous")))
        before = {"moi": "me", "toi": "te"}.get(clitic[1], clitic[1]) if negated else ""
        behind = f"-{clitic[1]}" if clitic[1] and not negated else ""
        link = verb.link[0] if clitic[0] else ""
        parts = [("do not", "ne")] if negated else []
        parts += [(verb.base, f"{before} {french}{behind}"), (link, ""), (clitic[0], "")]
        parts += [("", "pas" if negated else ""), self.fixed(verb, _YOU)]
        if verb.objects and (verb.recipient or not clitic[0]):
            parts.append(self.object(verb, negated))
        parts += [self.place(verb)] if size == 3 else []
        if self.chance(0.2):
            parts.insert(0, ("please", "s' il te plaît"))
        return Clause(*(_joined(side) for side in zip(*parts, strict=True)))

    def question(self, size: int) -> Clause:
        """Draw a question: where is my cat; what do you eat; is she happy."""
        if size == 1 and self.chance(0.4):
            return self.inverted()
        if size == 1 and self.chance(0.3):
            return self.what()
        if size == 1 and self.chance(0.1):
            return self.price()
        if self.chance(0.12):
            return self.who_does(size)
        question = self.entry("questions")
        if size == 1 and question[0] == "where":
            subject, verbal, rest = self.with_verb(size, negated=False, where=True)
            return self.completed(ask(subject, verbal, question), verbal, rest)
        subject, verbal, rest = self.predicate(size)
        acts = (verbal.do or verbal.then.endswith("ing")) and question[0] != "where"
        asked = question if acts and self.chance(0.5) else None
        return self.completed(ask(subject, verbal, asked), verbal, rest)

    def who_does(self, size: int) -> Clause:
        """Draw a question for the subject: who is singing → qui chante."""
        who = Phrase("who", "qui")
        subject, verbal, rest = self.with_verb(size, negated=False, subject=who)
        return self.completed(state(subject, verbal), verbal, rest)._replace(asks=True)

    def completed(self, clause: Clause, verbal: Verbal, rest: list[tuple[str, str]]) -> Clause:
        """Add what follows the verb, and maybe a time: in front (statements only) or at the end."""
        parts = [(clause.english, clause.french), *rest, verbal.since]
        if verbal.times and not verbal.since[0] and self.chance(0.2):
            time = self.entry("times", verbal.times)
            front = not clause.asks and self.chance(0.3)
            parts = [time, *parts] if front else [*parts, time]
        return Clause(*(_joined(side) for side in zip(*parts, strict=True)), asks=clause.asks)

    def adverb(self) -> tuple[str, str] | None:
        """Draw nothing, a negation, or an adverb of frequency."""
        if self.chance(0.22):
            return "not", "pas"
        return self.entry("frequency") if self.chance(0.08) else None

    # Predicates

    def predicate(
        self, size: int, negated: bool = False
    ) -> tuple[Phrase, Verbal, list[tuple[str, str]]]:
        """Draw a subject, what is said of it, and what follows, with so many phrases together."""
        if self.chance(0.4 if size < 3 else 0.1):
            return self.with_be(size, negated)
        return self.with_verb(size, negated)

    def with_verb(
        self, size: int, negated: bool, where: bool = False, subject: Phrase | None = None
    ) -> tuple[Phrase, Verbal, list[tuple[str, str]]]:
        """Draw a verb, with an object, a place or both; or with "where"; and its subject."""
        if not (subject or negated or where) and self.chance(0.03):
            subject = Phrase(*self.entry("anybody"))
            if self.chance(0.4):
                noun = self.frequent(self.words.of_kinds(frozenset({"person", "job", "animal"})))
                none = "aucune" if noun.gender == "f" else "aucun"
                subject = Phrase(f"no {noun.english[0]}", f"{none} {noun.french[0]} ne")
        subject = subject or self.subject(it=True)
        has_object = size > 1 and self.chance(0.6 if size == 2 else 0.75)
        verbs = [verb for verb in self.words.verbs if bool(verb.objects) == has_object]
        verb = self.frequent([verb for verb in verbs if size > 1 or where or not verb.place])
        if has_object and self.chance(0.2):  # who gets what: one of few verbs, and often said
            verb = self.random.choice([verb for verb in verbs if verb.recipient])
        if verb.recipient and self.chance(0.7):
            return self.giving(subject, verb, size, negated)
        pronoun = self.object_pronoun(subject, verb) if has_object and self.chance(0.3) else None
        verbal = self.tense(subject, verb, pronoun)
        rest = [self.fixed(verb, subject)]
        if has_object and not pronoun:
            rest.append(self.object(verb, negated))
        elif verb.link[0]:
            rest.append((verb.link[0], ""))
        if pronoun:  # English has the verb, its "to" and then the pronoun
            rest += [(verb.link[0], ""), (pronoun.object[0], "")]
        if size == 3 or (size == 2 and not has_object):
            rest.append(self.place(verb))
            if not has_object and size == 3:
                rest.append(self.company())
        if verb.goes and self.chance(0.15):
            english, french, _ = self.doing()
            rest.append((f"to {english}", f"pour {french}"))
        elif verb.alone and not verbal.second and size == 1 and self.chance(0.15):
            manner = self.entry("manners")
            if self.chance(0.15):
                like = self.noun_phrase(frozenset({"animal", "person", "job"}), bare=False)
                manner = (f"like {like.english}", f"comme {like.french}")
            rest.append(manner)
        return subject, verbal, rest

    def fixed(self, verb: Verb, subject: Phrase) -> tuple[str, str]:
        """Return what always follows a verb: up; his teeth → les dents."""
        his = _OWN.get(subject.person, "her" if subject.gender == "f" else "his")
        return (f"{his} {verb.own}" if verb.own else verb.then), verb.tail

    def giving(
        self, subject: Phrase, verb: Verb, size: int, negated: bool
    ) -> tuple[Phrase, Verbal, list[tuple[str, str]]]:
        """Say who gets it: i give him a book → je lui donne un livre; she says hello to paul."""
        thing = self.object(verb, negated)
        pronoun = None
        if size == 2 or self.chance(0.3):
            others = [p for p in self.words.pronouns if p.strong and p.person != subject.person]
            pronoun = self.random.choice(others)
            english, french = pronoun.object[0], ""
            pronoun = pronoun._replace(object=(english, pronoun.dative))
        else:
            kinds = frozenset({"person", "relative", "job"})
            somebody = self.name() if self.chance(0.25) else self.noun_phrase(kinds, bare=False)
            english, french = somebody.english, f"à {somebody.french}"
        if verb.recipient == "both" and self.chance(0.6):
            rest = [(english, ""), thing, ("", french)]
        else:
            rest = [thing, (f"to {english}", french)]
        return subject, self.tense(subject, verb, pronoun), rest

    def tense(self, subject: Phrase, verb: Verb, pronoun: Pronoun | None) -> Verbal:
        """Draw a tense or a modal for a verb."""
        clitic = pronoun.object[1] if pronoun else ""
        if verb.reflexive:
            clitic = _REFLEXIVE[subject.person]
        drawn = self.random.random()
        if verb.polite and drawn < 0.4:
            modal = self.words.modals[verb.polite]
            would, like = (modal.auxiliary,) * PERSONS, modal.then.removesuffix(" to")
            return Verbal(would, modal.french, then=like, before=clitic)
        if verb.modal and drawn < 0.22:
            return self.with_modal(verb, clitic)
        said = {"second": _posture(verb, subject), "before": clitic}
        if verb.ing and drawn < 0.26:
            return Verbal(_BE["past"], verb.lasting, then=verb.ing, times="past", **said)
        if verb.ing and drawn < 0.29 and not subject.french.endswith(" ne"):
            since = self.entry("since")
            then, second = f"been {verb.ing}", said.pop("second")
            return Verbal(_HAVE, verb.french, then=then, second=second, since=since, **said)
        if verb.ing and drawn < 0.48:
            return Verbal(_BE["present"], verb.french, then=verb.ing, **said)
        if verb.past and drawn > (0.6 if verb.posture else 0.83):
            return self.in_past(subject, verb, pronoun)
        return Verbal(verb.present, verb.french, _DO["present"], verb.base, **said)

    def with_modal(self, verb: Verb, clitic: str) -> Verbal:
        """Draw a modal before a verb: i want to see you → je veux te voir."""
        modal = self.random.choice([*self.words.modals.values()])
        while modal.ing and not verb.ing:
            modal = self.random.choice([*self.words.modals.values()])
        then = _joined((modal.then, verb.ing if modal.ing else verb.base))
        second = _joined((modal.link, clitic, verb.infinitive))
        auxiliary = modal.auxiliary
        if auxiliary is None:
            return Verbal(
                modal.forms,
                modal.french,
                _DO["present"],
                modal.base,
                then,
                second=second,
                times="present",
            )
        finite = _BE["present"] if auxiliary == "be" else (auxiliary,) * PERSONS
        return Verbal(finite, modal.french, then=then, second=second, times="future")

    def in_past(self, subject: Phrase, verb: Verb, pronoun: Pronoun | None) -> Verbal:
        """Put a verb into the past: i saw → j'ai vu; she went → elle est allée."""
        english = {"finite": (verb.past,) * PERSONS, "do": _DO["past"], "base": verb.base}
        clitic = pronoun.object[1] if pronoun else ""
        times = "past"
        if self.chance(0.25) and not verb.imperfect:  # she has gone
            english, times = {"finite": _HAVE, "then": verb.perfect}, None
        if verb.reflexive:
            clitic = _REFLEXIVE[subject.person]
        if verb.imperfect:
            said = {"second": _posture(verb, subject), "before": clitic}
            return Verbal(**english, french=verb.imperfect, times="past", **said)
        french = forms(self.tables["être"]["present"]) if verb.être else self.avoir().french
        participle = verb.participle
        if verb.être and not (verb.reflexive and verb.tail):
            participle = _agreeing(participle, subject.gender, subject.plural)
        elif pronoun and not verb.recipient:
            participle = _agreeing(participle, pronoun.gender, pronoun.person > 2)
        return Verbal(**english, french=french, before=clitic, second=participle, times=times)

    def avoir(self) -> Verb:
        """Return the verb "to have"."""
        return next(verb for verb in self.words.verbs if verb.base == "have")

    def with_be(self, size: int, negated: bool) -> tuple[Phrase, Verbal, list[tuple[str, str]]]:
        """Draw a subject and what it is: happy, a teacher, hungry, in the garden, my friend."""
        if size > 1:
            draw = self.random.choice([self.is_somewhere, self.is_somebody, self.there_is])
            return draw(size, negated)
        draws = [self.is_so, self.is_so, self.is_so, self.is_hungry, self.is_hot, self.is_doctor]
        return self.random.choice([*draws, self.this_is, self.there_is])(size, negated)

    def is_so(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw an adjective: the dog is black; it is easy → c'est facile."""
        if self.chance(0.2):
            subject, kinds = self.this(False), {"fact"}
        elif self.chance(0.08):
            return self.subject(), self.be("être", *self.entry("moods")), []
        else:
            subject = self.subject(anything=True)
            kinds = {subject.kind}
        adjective = self.frequent(self.adjectives_of(kinds))
        if adjective.english in self.tables["compared"] and self.chance(0.4):
            return subject, *self.compared(subject, adjective)
        return subject, self.so(subject, adjective), []

    def compared(self, subject: Phrase, adjective: Adjective) -> tuple[Verbal, list]:
        """Draw a comparison: my cat is bigger than your dog; he is as big as me."""
        more, _ = self.tables["compared"][adjective.english].split()
        more = f"more {adjective.english}" if more == "more" else more
        than, french = ("than", "plus")
        if self.chance(0.25):
            more, than, french = f"as {adjective.english}", "as", "aussi"
        form = adjective.french[2 * subject.plural + (subject.gender == "f")]
        if self.chance(0.3):
            pronoun = self.random.choice(self.others(subject))
            other = Phrase(pronoun.object[0], pronoun.strong or "ça")
        else:
            other = self.noun_phrase(frozenset({subject.kind}), bare=False)
        rest = [(than, "que"), (other.english, other.french)]
        return self.be("être", more, f"{french} {form}"), rest

    def is_hot(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw what is hot or cold: the soup is hot → la soupe est chaude.

        Of persons French says that they have hot: see `is_hungry`.
        """
        states = self.tables["states"]
        adjective = self.random.choice([w for w in self.words.adjectives if w.english in states])
        subject = self.noun_phrase(frozenset(adjective.kinds))
        return subject, self.so(subject, adjective), []

    def so(self, subject: Phrase, adjective: Adjective) -> Verbal:
        """Draw a tense and a degree of being something: the dog was very black."""
        degree = self.entry("degrees") if self.chance(0.2) else ("", "")
        french = adjective.french[2 * subject.plural + (subject.gender == "f")]
        then, second = _joined([degree[0], adjective.english]), _joined([degree[1], french])
        return self.be("être", then, second)

    def adjectives_of(self, kinds: set[str]) -> list[Adjective]:
        """Return what may be said of some kinds of thing; of persons, how they are or feel."""
        if kinds & {"person", "relative", "job"}:
            feelings = self.tables["feelings"]["of"].split()
            return [word for word in self.words.adjectives if word.english in feelings]
        return [word for word in self.words.adjectives if word.kinds & kinds]

    def is_hungry(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw a state: i am hungry → j'ai faim."""
        return self.subject(), self.be("avoir", *self.entry("states")), []

    def is_doctor(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw a profession, without an article in French: she is a nurse → elle est infirmière."""
        subject = self.person()
        noun = self.random.choice(self.words.of_kinds(frozenset({"job"})))
        french = (noun.feminine if subject.gender == "f" else noun.french)[subject.plural]
        english = noun.english[1] if subject.plural else f"a {noun.english[0]}"
        return subject, self.be("être", english, french), []

    def this_is(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw what something is: this is my cat → c'est mon chat."""
        kinds = {noun.kind for noun in self.words.nouns} - {*self.words.kinds["uncounted"]}
        thing = self.noun_phrase(frozenset(kinds), bare=False)
        return self.this(thing.plural), self.be("être", thing.english, thing.french), []

    def is_somebody(self, *_) -> tuple[Phrase, Verbal, list]:
        """Draw whose relative somebody is: paul is my brother; he is my brother → c'est …"""
        subject = self.person()
        while True:
            somebody = self.noun_phrase(frozenset({"relative", "person"}), determiners=_MINE)
            if (somebody.gender, somebody.plural) == (subject.gender, subject.plural):
                break
        if subject.inverted in ("he", "she", "they"):
            subject = subject._replace(french="ce")
        return subject, self.be("être", somebody.english, somebody.french), []

    def is_somewhere(self, size: int, *_) -> tuple[Phrase, Verbal, list]:
        """Draw where something is."""
        subject = self.subject(anything=True, it=True)
        return subject, self.be("être", "", ""), [self.place(of=subject.kind)]

    def there_is(self, size: int, negated: bool) -> tuple[Phrase, Verbal, list]:
        """Draw what there is: there are two dogs in the garden → il y a deux chiens …"""
        kinds = frozenset({"person", "job", "animal", "food", "thing", "furniture", "space"})
        kinds |= {"place"}
        determiners = ("a", "two", "three", "many")
        thing = self.noun_phrase(kinds, "negated" if negated else "", determiners=determiners)
        verbal = self.be("avoir", "", "")
        verbal = verbal._replace(before="y", french=(verbal.french[2],) * PERSONS)  # il y a, always
        subject = Phrase("there", "il", 4 if thing.plural else 2)
        rest = [(thing.english, thing.french)]
        return subject, verbal, [*rest, self.place(of=thing.kind)] if size > 1 else rest

    def be(self, french: str, then: str, second: str) -> Verbal:
        """Draw present or past of "to be", for all persons; in French `french`, être or avoir."""
        past = self.chance(0.15)
        if french == "avoir":
            verb = self.avoir()
            conjugated = verb.imperfect if past else verb.french
        else:
            conjugated = forms(self.tables["être"]["imperfect" if past else "present"])
        times = "past" if past else "present"
        return Verbal(_BE[times], conjugated, then=then, second=second, times=times)

    def inverted(self) -> Clause:
        """Draw a question in which French inverts verb and subject: where are you → où es-tu."""
        english, french, verb = self.random.choice(
            [("where", "où", "être"), ("how", "comment", "aller"), ("who", "qui", "être")]
        )
        subject = self.subject(anything=english == "where", it=english == "where")
        if english == "who":
            subject = self.person()
        table = self.tables[verb]
        turned = table["inverted"].get(subject.inverted)
        words = [french, turned] if turned else [french, forms(table["present"])[subject.person]]
        words += [] if turned else [subject.french]
        asked = [english, _BE["present"][subject.person], subject.english]
        return Clause(_joined(asked), _joined(words), asks=True)

    def what(self) -> Clause:
        """Draw a question for the object: what do you eat, how many apples do you eat."""
        fitting = [verb for verb in self.words.verbs if verb.objects and not any(verb.link)]
        verb = self.random.choice([verb for verb in fitting if verb.article])
        subject = self.subject()
        verbal = self.tense(subject, verb, None)
        asked = ("what", "qu'est-ce que")
        counted = [
            noun
            for noun in self.words.of_kinds(verb.objects)
            if noun.kind not in self.words.kinds["uncounted"]
        ]
        if counted and verbal.times != "past" and self.chance(0.3):  # a participle would agree
            noun = self.random.choice(counted)
            asked = (f"how many {noun.english[1]}", f"combien de {noun.french[1]}")
        return self.completed(ask(subject, verbal, asked), verbal, [])

    def price(self) -> Clause:
        """Draw a question for a price: how much is the bread → combien coûte le pain."""
        kinds = frozenset({"food", "treat", "cup", "dish", "drink", "thing", "text", "clothes"})
        thing = self.noun_phrase(kinds, bare=False)
        verb, costs = _BE["present"][thing.person], ("coûte", "coûtent")[thing.plural]
        return Clause(f"how much {verb} {thing.english}", f"combien {costs} {thing.french}", True)

    # Phrases

    def subject(self, anything: bool = False, it: bool = False) -> Phrase:
        """Draw a subject: a pronoun ("it" only if asked for), a name, somebody, or any thing."""
        if self.chance(0.45):
            pronouns = [word for word in self.words.pronouns if word.strong or it]
            return _as_subject(self.random.choice(pronouns))
        kinds = frozenset({"person", "relative", "animal", "job"})
        if anything and self.chance(0.6):
            kinds = frozenset({noun.kind for noun in self.words.nouns} - self.unsaid())
        elif self.chance(0.2):
            return self.name()
        elif self.chance(0.12):
            return self.who_acts(self.noun_phrase(kinds, bare=False))
        elif self.chance(0.06):
            one, other = (self.noun_phrase(kinds, bare=False) for _ in range(2))
            gender = "f" if one.gender == other.gender == "f" else "m"
            english, french = (
                f"{one.english} and {other.english}",
                f"{one.french} et {other.french}",
            )
            return Phrase(english, french, 4, gender, one.kind)
        elif self.chance(0.08):  # the dog in the garden
            somebody, place = self.noun_phrase(kinds, bare=False), self.place()
            return somebody._replace(
                english=f"{somebody.english} {place[0]}", french=f"{somebody.french} {place[1]}"
            )
        return self.noun_phrase(kinds, bare=not anything)

    def who_acts(self, somebody: Phrase) -> Phrase:
        """Say what somebody does, or who does it to them: the woman who is singing."""
        person = somebody.person
        if self.chance(0.3):  # the man that the dog sees
            verbs = [verb for verb in self.words.verbs if "person" in verb.objects]
            verb = self.random.choice([verb for verb in verbs if not any(verb.link)])
            other = self.person()
            if self.chance(0.4):
                other = self.noun_phrase(frozenset({"person", "job", "animal"}), bare=False)
            that = "that" if self.chance(0.8) else "who"
            return somebody._replace(
                english=f"{somebody.english} {that} {other.english} {verb.present[other.person]}",
                french=f"{somebody.french} que {other.french} {verb.french[other.person]}",
            )
        has_object = self.chance(0.5)
        verbs = [v for v in self.words.verbs if v.ing and (v.objects if has_object else v.alone)]
        verb = self.random.choice(verbs)
        done = self.object(verb, negated=False) if has_object else ("", "")
        english = verb.present[person]
        if self.chance(0.5):
            english = f"{_BE['present'][person]} {verb.ing}"
        return somebody._replace(
            english=_joined((somebody.english, "who", english, done[0])),
            french=_joined((somebody.french, "qui", verb.french[person], done[1])),
        )

    def unsaid(self) -> set[str]:
        """Return the kinds of which little can be said."""
        return {"instrument", "stuff", "plenty", *self.words.kinds["bare"]}

    def person(self) -> Phrase:
        """Draw a person: a pronoun, a name or a relative."""
        drawn = self.random.random()
        if drawn < 0.5:
            return _as_subject(self.random.choice([p for p in self.words.pronouns if p.strong]))
        if drawn < 0.7:
            return self.name()
        return self.noun_phrase(frozenset({"relative"}), bare=False)

    def this(self, plural: bool) -> Phrase:
        """Draw the subject of "c'est": it, this, that; of several: these, those."""
        english = self.random.choice(["these", "those"] if plural else ["it", "it", "this", "that"])
        return Phrase(english, "ce", 4 if plural else 2)

    def name(self) -> Phrase:
        """Draw a name, which is the same in both languages."""
        name, gender = self.random.choice([*self.words.names.items()])
        return Phrase(name, name, 2, gender)

    def object_pronoun(self, subject: Phrase, verb: Verb) -> Pronoun | None:
        """Draw an object pronoun for a verb; None if it takes none."""
        persons, things = "person" in verb.objects, verb.objects - {"person", "job", "animal"}
        fitting = [
            pronoun
            for pronoun in self.others(subject)
            if (things and not verb.generic if pronoun.english == "it" else persons)
        ]
        return self.random.choice(fitting) if fitting and verb.pronoun else None

    def others(self, subject: Phrase) -> list[Pronoun]:
        """Return the pronouns for others than the subject; "he" may give "him" something."""
        return [
            pronoun
            for pronoun in self.words.pronouns
            if pronoun.person % 3 != subject.person % 3 or pronoun.person == 2
        ]

    def object(self, verb: Verb, negated: bool) -> tuple[str, str]:
        """Draw the object of a verb, with the words that link the two."""
        english, french = verb.link
        place = "de" if french.endswith("de") else "negated" if negated else ""
        draw = partial(
            self.noun_phrase,
            verb.objects,
            place,
            generic=verb.generic,
            article=verb.article,
            determiners=(verb.determiner,) if verb.determiner else None,
        )
        phrase = draw()
        english, french = [english, phrase.english], [french, phrase.french]
        verbs = [each for each in self.words.verbs if phrase.kind in each.objects]
        verbs = [each for each in verbs if not any(each.link)]
        if verbs and not negated and self.chance(0.06):  # the book that my friend likes
            other, liked = self.person(), self.frequent(verbs)
            english += ["that", other.english, liked.present[other.person]]
            french += ["que", other.french, liked.french[other.person]]
            return _joined(english), _joined(french)
        if not negated and self.chance(0.1):  # bread and butter
            other = draw()
            english += ["and", other.english]
            french += ["et", verb.link[1], other.french]
        return _joined(english), _joined(french)

    def place(self, verb: Verb | None = None, of: str = "person") -> tuple[str, str]:
        """Draw a place of a kind of thing, a direction for a verb that goes, or for whom."""
        goes, has_object = bool(verb and verb.goes), bool(verb and verb.objects)
        if self.chance(0.3) and of in ("person", "relative", "animal"):
            return self.entry("directions" if goes else "places")
        table = "toward" if goes else "prepositions"
        if has_object and self.chance(0.2):
            table = "behind_object"
        fitting = [word for word in self.words.prepositions[table] if of not in word.never]
        preposition = self.random.choice(fitting)
        return self.after(preposition)

    def company(self) -> tuple[str, str]:
        """Draw with whom: with us, with the dog."""
        prepositions = self.words.prepositions["prepositions"]
        return self.after(next(word for word in prepositions if word.english == "with"))

    def after(self, preposition: Preposition) -> tuple[str, str]:
        """Draw what stands behind a preposition: a noun phrase, a name, or a pronoun."""
        persons = "person" in preposition.kinds
        if persons and self.chance(0.2):
            pronouns = [word for word in self.words.pronouns if word.strong]
            pronoun = self.random.choice(pronouns)
            english, french = pronoun.object[0], pronoun.strong
        elif persons and self.chance(0.15):
            english = french = self.name().english
        else:
            place = "de" if preposition.french.endswith(" de") else ""
            phrase = self.noun_phrase(preposition.kinds, place, bare=False)
            english, french = phrase.english, phrase.french
        return f"{preposition.english} {english}", f"{preposition.french} {french}"

    def noun_phrase(
        self,
        kinds: frozenset[str],
        place: str = "",
        bare: bool = True,
        generic: bool | None = None,
        article: bool = True,
        determiners: tuple[str, ...] | None = None,
    ) -> Phrase:
        """Draw a noun with its determiner and maybe an adjective.

        Args:
            kinds: the kinds of noun.
            place: "negated" behind a negated verb, "de" behind that word, where "a" and "some"
                change their form; "" anywhere else.
            bare: whether it may stand without an article.
            generic: whether it then means all of a kind; None for a subject, which always does.
            article: False if even the French noun has none.
            determiners: the only ones allowed.
        """
        noun = self.frequent(self.words.of_kinds(kinds))
        only = determiners or noun.kind in self.tables["only"]
        mass, always = noun.kind in self.words.kinds["mass"], noun.kind in self.words.kinds["bare"]
        plural = noun.kind not in self.words.kinds["uncounted"] and self.chance(0.25)
        plural = plural or noun.kind in self.words.kinds["several"]
        adjectives = () if always else self.adjectives_for(noun)
        if not only and (always or (bare and (plural or mass) and self.chance(0.4))):
            some = not always and generic is False and self.chance(0.4)
            every = generic is not False
            english = ("any" if place == "negated" else "some") if some else ""
            french = _every(noun, plural) if every else _some(noun, plural, place, adjectives)
            return _noun_phrase(noun, adjectives, plural, english, french if article else "")
        if generic is False and noun.kind in ("cup", "drink") and self.chance(0.2):
            return self.contained(noun, place)
        owned = not only or (not determiners and noun.kind in ("body", "plenty"))
        if owned and self.chance(0.06) and noun.kind != "person":
            return self.possessed(noun, plural)
        if not only and not plural and self.chance(0.03):
            return self.most(noun)
        english, french = self.determiner(noun, plural, place, determiners)
        return _noun_phrase(noun, adjectives, plural, english, french)

    def most(self, noun: Noun) -> Phrase:
        """Draw a superlative: the biggest house → la plus grande maison."""
        fitting = [
            word
            for word in self.words.adjectives
            if noun.kind in word.kinds and word.english in self.tables["compared"]
        ]
        article, adjectives = _every(noun, False), ()
        phrase = _noun_phrase(noun, adjectives, False, "the", article)
        if not fitting:
            return phrase
        word = self.random.choice(fitting)
        _, most = self.tables["compared"][word.english].split()
        most = f"most {word.english}" if most == "most" else most
        form = word.french[noun.gender == "f"]
        named = (article, "plus", form, noun.french[0])
        if not word.before:
            named = (article, noun.french[0], article, "plus", form)
        return phrase._replace(english=f"the {most} {noun.english[0]}", french=_joined(named))

    def adjectives_for(self, noun: Noun) -> tuple[Adjective, ...]:
        """Draw no adjective, one, or two of which French puts one before the noun, one behind."""
        fitting = self.words.describing(noun.kind)
        if not fitting or not self.chance(0.28):
            return ()
        first = self.frequent(fitting)
        behind = [word for word in fitting if not word.before]
        if first.before and behind and self.chance(0.35):
            return first, self.random.choice(behind)
        return (first,)

    def determiner(
        self, noun: Noun, plural: bool, place: str, only: tuple[str, ...] | None
    ) -> tuple[str, str]:
        """Draw a determiner, English and French, for a noun."""
        uncounted = noun.kind in self.words.kinds["uncounted"]
        fitting = {
            name: word
            for name, word in self.words.determiners.items()
            if word.english[plural] and not (uncounted and name == "a")
        }
        of_kind = self.tables["only"].get(noun.kind)
        only = only or (of_kind.split() if of_kind else [*fitting])
        fitting = {name: fitting[name] for name in only if name in fitting}
        fitting = fitting or {"the": self.words.determiners["the"]}
        weights = [word.weight for word in fitting.values()]
        (name,) = self.random.choices([*fitting], weights)
        word = fitting[name]
        french = word.french[2 if plural else noun.gender == "f"]
        return word.english[plural], "de" if name == "a" and place == "negated" else french

    def possessed(self, noun: Noun, plural: bool) -> Phrase:
        """Draw a possessor: my sister's car → la voiture de ma sœur."""
        person = self.name()
        if self.chance(0.7):
            owner = self.random.choice(self.words.of_kinds(frozenset({"relative", "person"})))
            person = _noun_phrase(owner, (), False, *self.determiner(owner, False, "", _MINE))
        owned = _noun_phrase(noun, (), plural, "", _every(noun, plural))
        if noun.kind not in ("relative", "body") and self.chance(0.25):  # the window of the school
            owner = self.random.choice(self.words.of_kinds(frozenset({"space", "place", "job"})))
            of = _noun_phrase(owner, (), False, *self.determiner(owner, False, "", ("the", "my")))
            english = f"the {owned.english} of {of.english}"
            return owned._replace(english=english, french=f"{owned.french} de {of.french}")
        english, french = (
            f"{person.english} 's {owned.english}",
            f"{owned.french} de {person.french}",
        )
        return owned._replace(english=english, french=french)

    def contained(self, noun: Noun, place: str) -> Phrase:
        """Draw a drink in something: a glass of water → un verre d'eau."""
        container = self.random.choice(self.words.of_kinds(frozenset({"container"})))
        plural = self.chance(0.25)
        held = _noun_phrase(container, (), plural, *self.determiner(container, plural, place, None))
        english = f"{held.english} of {noun.english[0]}"
        return held._replace(english=english, french=f"{held.french} de {noun.french[0]}")


def _as_subject(pronoun: Pronoun) -> Phrase:
    """Return a pronoun as a subject."""
    return Phrase(
        pronoun.english, pronoun.french, pronoun.person, pronoun.gender, inverted=pronoun.english
    )


def _posture(verb: Verb, subject: Phrase) -> str:
    """Return how somebody sits or lies: elle est assise; "" for any other verb."""
    forms_of = verb.posture
    return forms_of[2 * subject.plural + (subject.gender == "f")] if forms_of else ""


def _agreeing(participle: str, gender: str, plural: bool) -> str:
    """Return a participle that agrees: allé, allée, allés, allées; an s at its end stays one."""
    feminine = participle + "e" * (gender == "f")
    return feminine + "s" * (plural and not feminine.endswith("s"))


def _every(noun: Noun, plural: bool) -> str:
    """Return the French article for all of a kind: i like milk → j'aime le lait."""
    return "les" if plural else "la" if noun.gender == "f" else "le"


def _some(noun: Noun, plural: bool, place: str, adjectives: tuple[Adjective, ...]) -> str:
    """Return the French for an amount: du lait, de la soupe, des chats; after a negation de."""
    if place == "de":
        return ""
    if place == "negated" or (plural and any(word.before for word in adjectives)):
        return "de"
    return "des" if plural else f"de {_every(noun, plural)}"


def _noun_phrase(
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
        if not plural and word in before_vowel and _begins_with_vowel(words[place + 1]):
            words[place] = before_vowel[word]
    return Phrase(
        _joined([english, *(adjective.english for adjective in adjectives), noun.english[plural]]),
        " ".join(words),
        4 if plural else 2,
        noun.gender,
        noun.kind,
    )
